"""Tables as programs export them: headers as documented, works invented.

Scopus: https://rdrr.io/cran/bibnets/man/read_scopus.html. Dimensions:
https://rdrr.io/cran/bibnets/man/read_dimensions.html and
https://aurelien-goutsmedt.com/post/extracting-biblio-data-2/ (parts of a cited reference). Lens:
https://support.lens.org/knowledge-base/scholar-field-definition/ and
https://rdrr.io/cran/bibnets/man/read_lens.html. Web of Science:
https://rdocumentation.org/packages/bibliometrix/versions/4.3.2/topics/convert2df (field tags).
OpenAlex: https://github.com/massimoaria/bibliometrix/blob/master/R/csvOA2df.R (column names).
"""

from typing import NamedTuple

from recsys.records import Reference


class Export(NamedTuple):
    """A table, and the works that it holds."""

    text: str
    works: tuple[Reference, ...]


DEEP = Reference(
    title="Deep maps",
    authors=("A. Lee",),
    year=2015,
    venue="Nature",
    volume="521",
    page="436",
)

EXPORTS = {
    "Scopus": Export(
        '\ufeff"Authors","Author full names","Author(s) ID","Title","Year","Source title",'
        '"Volume","Issue","Art. No.","Page start","Page end","Cited by","DOI","Link","Abstract",'
        '"Author Keywords","Index Keywords","References","PubMed ID","Document Type","Source",'
        '"EID"\n'
        '"Duan C.; Berg S.","Duan, Cheng (57339537900); Berg, Sam (7402406661)","1; 2",'
        '"A study of ""things""","2026","Journal of Tests","11","2","1780142","","","3","",'
        '"https://www.scopus.com/inward/record.uri?eid=2-s2.0-105&doi=10.1234%2fabc&partnerID=40",'
        '"An abstract\nof two lines.","maps; Charts","charts; trees",'
        '"Lee A., Li B., Deep maps, Nature, 521, pp. 436-444, (2015)","123456",'
        '"Conference paper","Scopus","2-s2.0-105"\n',
        (
            Reference(
                title='A study of "things"',
                authors=("Cheng Duan", "Sam Berg"),
                year=2026,
                venue="Journal of Tests",
                abstract="An abstract of two lines.",
                doi="10.1234/abc",
                url="https://www.scopus.com/inward/record.uri?eid=2-s2.0-105&doi=10.1234%2fabc"
                "&partnerID=40",
                kind="paper-conference",
                pmid="123456",
                ids=("eid:2-s2.0-105",),
                volume="11",
                page="1780142",
                keyphrases=("maps", "Charts", "trees"),
                labels={"type": "Conference paper"},
                cites=(DEEP,),
            ),
        ),
    ),
    "Dimensions": Export(
        '"About the data: Exported on Sep 30, 2026. Criteria: ""title, authors"" in full data."\n'
        '"Rank","Publication ID","DOI","PMID","PMCID","Title","Abstract","Source title","PubYear",'
        '"Volume","Issue","Pagination","Publication Type","Authors","Cited references",'
        '"Dimensions URL"\n'
        '"1","pub.1001","10.1234/DIM1","11","PMC22","Forecasting","","Tests","2020","5","1",'
        '"100-120","Article","Meyer, Austin G; Smith, Jane","[Hirsch, J. E.; Lee, A]|[ur.1; ]|'
        "Proc Maps|2005|102|46|16569-16572|10.1073/PNAS.05|pub.1037|5000;[]||Nature|1999|||||"
        'pub.2|3","https://app.dimensions.ai/details/publication/pub.1001"\n',
        (
            Reference(
                title="Forecasting",
                authors=("Austin G Meyer", "Jane Smith"),
                year=2020,
                venue="Tests",
                doi="10.1234/dim1",
                url="https://app.dimensions.ai/details/publication/pub.1001",
                kind="article-journal",
                pmid="11",
                ids=("dimensions:pub.1001", "pmc:PMC22"),
                volume="5",
                page="100",
                labels={"type": "Article"},
                cites=(
                    Reference(
                        authors=("J. E. Hirsch",),
                        year=2005,
                        venue="Proc Maps",
                        doi="10.1073/pnas.05",
                        ids=("dimensions:pub.1037",),
                        volume="102",
                        page="16569",
                    ),
                    Reference(year=1999, venue="Nature", ids=("dimensions:pub.2",)),
                ),
            ),
        ),
    ),
    "Lens": Export(
        "Lens ID,Title,Date Published,Publication Year,Publication Type,Source Title,Author/s,"
        "Abstract,Volume,Issue Number,Start Page,End Page,Fields of Study,Keywords,DOI,PMID,"
        "Source URLs,References\n"
        '064-908-811-700-01X,Fidget maps,2009-05-22,2009,journal article,Tests,"Ada Berg; Bo Li",'
        "An abstract.,4,1,12,19,Cartography; Art,maps; toys,10.1234/lens,77,"
        '"https://a.example/1 https://a.example/2","000-111-222-333-444; 000-111-222-333-45X"\n',
        (
            Reference(
                title="Fidget maps",
                authors=("Ada Berg", "Bo Li"),
                year=2009,
                venue="Tests",
                abstract="An abstract.",
                doi="10.1234/lens",
                url="https://a.example/1",
                kind="article-journal",
                pmid="77",
                ids=("lens:064-908-811-700-01x",),
                volume="4",
                page="12",
                keyphrases=("maps", "toys"),
                labels={"type": "journal article", "fields": ["Cartography", "Art"]},
                cites=(
                    Reference(ids=("lens:000-111-222-333-444",)),
                    Reference(ids=("lens:000-111-222-333-45x",)),
                ),
            ),
        ),
    ),
    "OpenAlex": Export(
        '"id","authorships.author.display_name","cited_by_count","display_name","doi",'
        '"primary_location.source.display_name","publication_year","type","referenced_works",'
        '"biblio.volume","biblio.first_page","ids.pmid","keywords.display_name","abstract"\n'
        '"https://openalex.org/W2741809807","Jakub Novák|Malcolm Host","143","Open maps",'
        '"https://doi.org/10.1234/Sdata","null","2017","article",'
        '"https://openalex.org/W12|https://openalex.org/W34","4","170171",'
        '"https://pubmed.ncbi.nlm.nih.gov/555","Maps|Charts","Words."\n',
        (
            Reference(
                title="Open maps",
                authors=("Jakub Novák", "Malcolm Host"),
                year=2017,
                abstract="Words.",
                id="W2741809807",
                doi="10.1234/sdata",
                kind="article-journal",
                pmid="555",
                volume="4",
                page="170171",
                keyphrases=("Maps", "Charts"),
                labels={"type": "article"},
                cited_ids=("W12", "W34"),
            ),
        ),
    ),
    "Web of Science, tags": Export(
        "\ufeffPT\tAU\tAF\tTI\tSO\tDE\tID\tAB\tCR\tPY\tVL\tBP\tAR\tDI\tWC\tUT\tPM\tDT\n"
        'J\tMeyer, AG; Smith, J\tMeyer, Austin G.; Smith, John\t"Big data" and maps\tJ TESTS\t'
        'a; b\tB; C\tAn "abstract\tLee A, 2015, NATURE, V521, P436; Li B, 2010, J CHEM, V1, P2, '
        "DOI 10.1234/x\t2020\t1\t\te7\t10.1234/wos\tArt\tWOS:000123\t99\tArticle\t\n",
        (
            Reference(
                title='"Big data" and maps',
                authors=("Austin G. Meyer", "John Smith"),
                year=2020,
                venue="J TESTS",
                abstract='An "abstract',
                doi="10.1234/wos",
                kind="article-journal",
                pmid="99",
                ids=("wos:000123",),
                volume="1",
                page="e7",
                keyphrases=("a", "b"),
                labels={"type": "Article", "fields": ["Art"], "keywords_plus": ["b", "c"]},
                cites=(
                    Reference(
                        authors=("A Lee",), year=2015, venue="NATURE", volume="521", page="436"
                    ),
                    Reference(
                        authors=("B Li",),
                        year=2010,
                        venue="J CHEM",
                        doi="10.1234/x",
                        volume="1",
                        page="2",
                    ),
                ),
            ),
        ),
    ),
    "Web of Science, names": Export(
        "Publication Type\tAuthors\tAuthor Full Names\tArticle Title\tSource Title\t"
        "Document Type\tKeywords Plus\tTimes Cited, WoS Core\tPublication Year\tVolume\t"
        "Start Page\tDOI\tUT (Unique WOS ID)\n"
        "C\tBerg, A\tBerg, Ada\tMaps\tJ TESTS\tProceedings Paper\tX\t3\t2020\t1\t2\t"
        "10.1234/y\tWOS:0009\n",
        (
            Reference(
                title="Maps",
                authors=("Ada Berg",),
                year=2020,
                venue="J TESTS",
                doi="10.1234/y",
                kind="paper-conference",
                ids=("wos:0009",),
                volume="1",
                page="2",
                labels={"type": "Proceedings Paper", "keywords_plus": ["x"]},
            ),
        ),
    ),
    "Embase, rows": Export(
        '"SEARCH QUERY","\'heart attack\'/exp"\n\n'
        '"Title","Author Names","Source title","Publication Year","Volume","First Page",'
        '"Abstract","Author Keywords","Embase Accession ID","Medline PMID","DOI",'
        '"Publication Type"\n'
        '"A trial","Smith J., Lee K.","Tests","2019","3","7","Words.","hearts, maps","L200",'
        '"88","10.1234/e","Article"\n',
        (
            Reference(
                title="A trial",
                authors=("J. Smith", "K. Lee"),
                year=2019,
                venue="Tests",
                abstract="Words.",
                doi="10.1234/e",
                kind="article-journal",
                pmid="88",
                ids=("embase:l200",),
                volume="3",
                page="7",
                keyphrases=("hearts", "maps"),
                labels={"type": "Article"},
            ),
        ),
    ),
    "Embase, fields": Export(
        '"TITLE","A trial"\n"AUTHOR NAMES","Smith J.","Lee K."\n"SOURCE","Tests"\n'
        '"PUBLICATION YEAR","2019"\n"VOLUME","3"\n"DOI","10.1234/e"\n\n'
        '"TITLE","Another"\n"AUTHOR NAMES","Xu Y."\n"SOURCE","Tests"\n',
        (
            Reference(
                title="A trial",
                authors=("J. Smith", "K. Lee"),
                year=2019,
                venue="Tests",
                doi="10.1234/e",
                volume="3",
            ),
            Reference(title="Another", authors=("Y. Xu",), venue="Tests"),
        ),
    ),
    "PubMed": Export(
        "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,"
        "NIHMS ID,DOI\n"
        '"3011","Seed oil","Lira R, de Oliveira Filho ASB, Cruz A.","Econ Bot. 2021 Mar;75(2):'
        '101-110. doi: 10.1234/eb.","Lira R","Econ Bot","2021","2021/01/04","","","10.1234/eb"\n',
        (
            Reference(
                title="Seed oil",
                authors=("R Lira", "ASB de Oliveira Filho", "A. Cruz"),
                year=2021,
                venue="Econ Bot",
                doi="10.1234/eb",
                pmid="3011",
                volume="75",
                page="101",
            ),
        ),
    ),
    "Zotero": Export(
        '"Key","Item Type","Publication Year","Author","Title","Publication Title","DOI","Url",'
        '"Abstract Note","Pages","Volume","Extra","Manual Tags"\n'
        '"AB12CD34","preprint","2019","Lee, Ann; Li, Bo","Maps","","","https://a.example/x","Words",'
        '"1-3","","arXiv: 1901.00001 [cs.CL]","maps; to read"\n',
        (
            Reference(
                key="AB12CD34",
                title="Maps",
                authors=("Ann Lee", "Bo Li"),
                year=2019,
                abstract="Words",
                arxiv="1901.00001",
                url="https://a.example/x",
                kind="article",
                ids=("zotero:AB12CD34",),
                page="1",
                keyphrases=("maps", "to read"),
                labels={"type": "preprint"},
            ),
        ),
    ),
    "IEEE Xplore": Export(
        '"Document Title",Authors,"Author Affiliations","Publication Title",Date Added To Xplore,'
        '"Publication Year","Volume","Start Page","Abstract","DOI",PDF Link,"Author Keywords",'
        '"IEEE Terms",Article Citation Count,Document Identifier\n'
        '"A Dashboard","B. Mayer; R. Berg","NA; NA","2017 IEEE Conference on Maps","","2017","",'
        '"66","Words.","10.1109/X.1","https://ieee.example/1","maps;Boards","Maps","4",'
        '"IEEE Conferences"\n',
        (
            Reference(
                title="A Dashboard",
                authors=("B. Mayer", "R. Berg"),
                year=2017,
                venue="2017 IEEE Conference on Maps",
                abstract="Words.",
                doi="10.1109/x.1",
                url="https://ieee.example/1",
                kind="paper-conference",
                page="66",
                keyphrases=("maps", "Boards"),
                labels={"type": "IEEE Conferences"},
            ),
        ),
    ),
    "Publish or Perish": Export(
        "Cites,Authors,Title,Year,Source,Publisher,ArticleURL,CitesURL,GSRank,QueryDate,Type,DOI\n"
        '42,"AG Meyer, J Smith",Maps,2020,Tests,NPG,https://a.example/a,https://b.example,1,'
        '"2026-01-01","PDF",10.1234/pop\n',
        (
            Reference(
                title="Maps",
                authors=("AG Meyer", "J Smith"),
                year=2020,
                venue="Tests",
                doi="10.1234/pop",
                url="https://a.example/a",
                labels={"type": "PDF"},
            ),
        ),
    ),
    "ACM": Export(
        '"type","id","author","editor","title","pages","article_no","keywords","doi","journal",'
        '"volume","year","booktitle","conf_loc"\n'
        '"inproceedings","33","Ann Lee and Bo Li","","Maps","1--10","","maps","10.1145/1.2","","",'
        '"2019","Proc. of Maps","Rome"\n',
        (
            Reference(
                title="Maps",
                authors=("Ann Lee", "Bo Li"),
                year=2019,
                venue="Proc. of Maps",
                doi="10.1145/1.2",
                kind="paper-conference",
                page="1",
                keyphrases=("maps",),
                labels={"type": "inproceedings"},
            ),
        ),
    ),
    "our own": Export(
        '"id","title","authors","year","venue","doi","url"\n'
        '"p1","\'=Maps","Malcolm X; Bo \\; Li","2020","Tests","10.1234/ab","https://a.example"\n',
        (
            Reference(
                title="=Maps",
                authors=("Malcolm X", "Bo ; Li"),
                year=2020,
                venue="Tests",
                id="p1",
                doi="10.1234/ab",
                url="https://a.example",
            ),
        ),
    ),
    "any": Export(
        "Título;Autores;AÑO;Revista;doi;Cited_References\n"
        'Mapas;"Lira, R.; Cruz, A.";2020;Rev;https://doi.org/10.1234/rm.1;10.1234/a, 10.1234/b\n',
        (
            Reference(
                title="Mapas",
                authors=("R. Lira", "A. Cruz"),
                year=2020,
                venue="Rev",
                doi="10.1234/rm.1",
                cites=(Reference(doi="10.1234/a"), Reference(doi="10.1234/b")),
            ),
        ),
    ),
}
