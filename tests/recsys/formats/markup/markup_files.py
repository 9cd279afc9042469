"""Small files in the XML formats, written after the documentation that each names."""

from typing import Final

# After what Zotero's translator writes and reads, and the elements that bibutils lists:
# https://github.com/zotero/translators/blob/master/Endnote%20XML.js
ENDNOTE: Final = """<?xml version="1.0" encoding="UTF-8" ?>
<xml><records>
<record><database name="Trees.enl" path="/home/ada/Trees.enl">Trees.enl</database>\
<source-app name="EndNote" version="20.1">EndNote</source-app><rec-number>7</rec-number>\
<foreign-keys><key app="EN" db-id="x2" timestamp="1600000000">7</key></foreign-keys>\
<ref-type name="Journal Article">17</ref-type><contributors><authors>\
<author><style face="normal" font="default" size="100%">Ash, Ada B.</style></author>\
<author>van der Birch, Ben</author><author>Forest Survey Group,</author></authors>\
<secondary-authors><author>Editor, Edith</author></secondary-authors></contributors>\
<titles><title><style face="normal" font="default">Growth of </style>\
<style face="italic" font="default">Betula nana</style>\
<style face="normal" font="default"> &amp; its kin</style></title>\
<secondary-title>J Trees</secondary-title></titles>\
<periodical><full-title>Journal of Trees</full-title><abbr-1>J Trees</abbr-1></periodical>\
<pages>33-49</pages><volume>12</volume><number>3</number>\
<keywords><keyword>birch</keyword><keyword>growth</keyword><keyword>birch</keyword></keywords>\
<dates><year><style face="normal">2004</style></year><pub-dates><date>Mar</date></pub-dates>\
</dates><isbn>1234-5678</isbn><accession-num>WOS:000123456700008</accession-num>\
<abstract>Trees grow.&#xD;They grow slowly.</abstract>\
<urls><related-urls><url>https://example.org/a</url></related-urls>\
<pdf-urls><url>internal-pdf://12/a.pdf</url></pdf-urls></urls><custom2>PMC98765</custom2>\
<electronic-resource-num>https://doi.org/10.1234/JT.2004.33</electronic-resource-num></record>
<record><rec-number>8</rec-number><ref-type name="Book Section">5</ref-type><contributors>\
<authors><author>Oak, Olaf</author></authors></contributors><titles><title>Roots</title>\
<secondary-title>The Forest Book</secondary-title></titles><dates><pub-dates><date>May 1999</date>\
</pub-dates></dates><accession-num>1234567</accession-num><label>oak1999</label>\
<remote-database-name>Medline</remote-database-name></record>
</records></xml>
"""

# After https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
PUBMED: Final = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2023//EN" \
"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_230101.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">11111</PMID>
<DateRevised><Year>2020</Year></DateRevised>
<Article PubModel="Print-Electronic"><Journal><ISSN>1234-5678</ISSN><JournalIssue>
<Volume>12</Volume><Issue>3</Issue><PubDate><MedlineDate>2003 Dec-2004 Jan</MedlineDate></PubDate>
</JournalIssue><Title>Journal of invented medicine</Title>
<ISOAbbreviation>J Inv Med</ISOAbbreviation></Journal>
<ArticleTitle>Levels of H<sub>2</sub>O in <i>Betula</i> roots.</ArticleTitle>
<Pagination><StartPage>33</StartPage><EndPage>49</EndPage><MedlinePgn>33-49</MedlinePgn></Pagination>
<ELocationID EIdType="pii" ValidYN="Y">S1-2</ELocationID>
<ELocationID EIdType="doi" ValidYN="Y">10.1234/JIM.33</ELocationID>
<Abstract><AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">Water is <b>wet</b>.\
</AbstractText><AbstractText Label="UNLABELLED">We measured it.</AbstractText>
<CopyrightInformation>Copyright Nobody.</CopyrightInformation></Abstract>
<AuthorList CompleteYN="Y"><Author ValidYN="Y"><LastName>Ash</LastName><ForeName>Ada B</ForeName>
<Initials>AB</Initials><Suffix>Jr</Suffix><AffiliationInfo><Affiliation>Nowhere 1999</Affiliation>
</AffiliationInfo></Author><Author ValidYN="N"><LastName>Wrong</LastName></Author>
<Author><CollectiveName>Water Study Group</CollectiveName></Author></AuthorList>
<Language>eng</Language><PublicationTypeList>
<PublicationType UI="D016428">Journal Article</PublicationType>
<PublicationType UI="D016454">Review</PublicationType></PublicationTypeList>
<ArticleDate DateType="Electronic"><Year>2005</Year></ArticleDate></Article>
<MeshHeadingList><MeshHeading><DescriptorName UI="D1" MajorTopicYN="N">Water</DescriptorName>
<QualifierName UI="Q1" MajorTopicYN="Y">analysis</QualifierName></MeshHeading></MeshHeadingList>
<KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="N">roots</Keyword></KeywordList>
</MedlineCitation><PubmedData><History><PubMedPubDate PubStatus="received"><Year>1990</Year>
</PubMedPubDate></History><PublicationStatus>ppublish</PublicationStatus><ArticleIdList>
<ArticleId IdType="pubmed">11111</ArticleId><ArticleId IdType="pmc">PMC22222</ArticleId>
<ArticleId IdType="doi">10.1234/JIM.33</ArticleId></ArticleIdList>
<ReferenceList><Title>References</Title><Reference>
<Citation>Oak O, Elm E. Soils of the north. J Soil Sci. 2001 Mar;7(2):101-9.</Citation>
<ArticleIdList><ArticleId IdType="pubmed">33333</ArticleId>
<ArticleId IdType="doi">10.5555/soil.7</ArticleId></ArticleIdList></Reference>
<ReferenceList><Reference><Citation>Elm E. A book. 1998.</Citation></Reference></ReferenceList>
</ReferenceList></PubmedData></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID Version="1">44444</PMID><Article><Journal><JournalIssue>
<PubDate><Year>1987</Year></PubDate></JournalIssue><Title>Zeitschrift</Title></Journal>
<ArticleTitle>[On water in winter].</ArticleTitle>
<VernacularTitle>Vom Wasser im Winter.</VernacularTitle></Article><CommentsCorrectionsList>
<CommentsCorrections RefType="Cites"><RefSource>Science. 1980 May 2;208(4443):5-7</RefSource>
<PMID Version="1">55555</PMID></CommentsCorrections>
<CommentsCorrections RefType="ErratumIn"><RefSource>Z. 1988;2:1</RefSource><PMID>6</PMID>
</CommentsCorrections></CommentsCorrectionsList></MedlineCitation></PubmedArticle>
<PubmedBookArticle><BookDocument><PMID Version="1">77777</PMID><ArticleIdList>
<ArticleId IdType="bookaccession">NBK1</ArticleId></ArticleIdList><Book><Publisher>
<PublisherName>Press</PublisherName></Publisher><BookTitle book="b">Handbook of Water</BookTitle>
<PubDate><Year>2011</Year></PubDate><AuthorList Type="editors"><Author><LastName>Editor</LastName>
</Author></AuthorList></Book><ArticleTitle book="b" part="p">Ice</ArticleTitle>
<AuthorList Type="authors"><Author><LastName>Snow</LastName><Initials>S</Initials></Author>
</AuthorList><Abstract><AbstractText>Ice floats.</AbstractText></Abstract></BookDocument>
</PubmedBookArticle>
<DeleteCitation><PMID Version="1">88888</PMID></DeleteCitation>
</PubmedArticleSet>
"""

# After https://dblp.org/faq/What+do+I+find+in+dblp+xml.html and, for `cite`, homonyms and keys,
# M. Ley, "DBLP - Some Lessons Learned", https://doi.org/10.14778/1687553.1687577
DBLP: Final = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE dblp SYSTEM "dblp.dtd">
<dblp>
<article key="journals/jit/AshB04" mdate="2010-04-26">
<author orcid="0000-0000-0000-0001">Ada Ash 0002</author><author>J&uuml;rgen B&ouml;hm</author>
<title>Sorting H<sub>2</sub>O in <i>O</i>(<i>n</i>).</title><pages>97-105</pages><year>2004</year>
<volume>53</volume><journal>J. Inv. Trees</journal><number>3</number>
<ee type="oa">https://doi.org/10.1234/JIT.2004.97</ee><url>db/journals/jit/jit53.html#AshB04</url>
<cite>conf/tree/Oak99</cite><cite>...</cite><cite label="[2]">books/elm/Elm98</cite></article>
<inproceedings key="conf/tree/Oak99" mdate="2011-10-19"><title>Is This a Tree?</title>
<author>Olaf Oak</author><pages>12:1-12:9</pages><crossref>conf/tree/1999</crossref>
<year>1999</year><booktitle>TREE</booktitle><ee>https://example.org/oak99</ee></inproceedings>
<proceedings key="conf/tree/1999"><editor>Edith Editor</editor><title>Trees of 1999.</title>
<booktitle>TREE</booktitle><year>1999</year></proceedings>
<article publtype="informal" key="journals/corr/abs-2004-07180"><author>Eve Elm</author>
<title>A Preprint.</title><year>2020</year><volume>abs/2004.07180</volume><journal>CoRR</journal>
</article>
<phdthesis key="phd/Elm01"><author>Eve Elm</author><title>My Thesis.</title><year>2001</year>
<school>U of Trees</school></phdthesis>
<www key="homepages/a/AdaAsh-2"><author>Ada Ash 0002</author><title>Home Page</title></www>
</dblp>
"""

# After https://jats.nlm.nih.gov/archiving/tag-library/1.3/ and its chapter of tagged examples,
# https://jats.nlm.nih.gov/archiving/tag-library/1.4/chapter/tag-cite-archiving-examp.html
JATS: Final = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving v1.2//EN" "JATS1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML" \
article-type="research-article" xml:lang="en"><front><journal-meta>
<journal-id journal-id-type="nlm-ta">J Inv</journal-id><journal-title-group>
<journal-title>Journal of Inventions</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">11111</article-id>
<article-id pub-id-type="pmc">22222</article-id>
<article-id pub-id-type="doi">10.1234/JINV.33</article-id><article-categories><subj-group>
<subject>Forestry</subject></subj-group></article-categories><title-group>
<article-title>Growth of <italic>Betula</italic><xref ref-type="fn" rid="f1">*</xref>\
</article-title>
<subtitle>A study</subtitle></title-group><contrib-group><contrib contrib-type="author">
<name name-style="western"><surname>Ash</surname><given-names>Ada B</given-names></name></contrib>
<contrib contrib-type="author"><collab>Forest Group<contrib-group><contrib><name>
<surname>Hidden</surname></name></contrib></contrib-group></collab></contrib>
<contrib contrib-type="editor"><name><surname>Editor</surname></name></contrib></contrib-group>
<pub-date pub-type="ppub"><month>1</month><year>2005</year></pub-date>
<pub-date pub-type="epub"><day>3</day><month>12</month><year>2004</year></pub-date>
<pub-date pub-type="pmc-release"><year>2003</year></pub-date><volume>12</volume>
<elocation-id>e33</elocation-id><permissions><copyright-year>1990</copyright-year></permissions>
<self-uri xlink:href="https://example.org/33"/><abstract abstract-type="graphical"><p>A picture.</p>
</abstract><abstract><title>Abstract</title><sec><title>Background</title><p>Trees grow \
<xref rid="B1">[1]</xref> by <inline-formula><alternatives><tex-math>x^2</tex-math><mml:math>\
<mml:mi>x</mml:mi></mml:math></alternatives></inline-formula>.</p></sec><sec><title>Results</title>\
<p>Slowly.</p></sec></abstract><kwd-group><kwd>birch</kwd><kwd>trees</kwd></kwd-group>
<kwd-group kwd-group-type="abbreviations"><kwd>BN: Betula nana</kwd></kwd-group>
</article-meta></front><body><p>A text of <bold>no</bold> interest.</p></body>
<back><ref-list><title>References</title>
<ref id="B1"><label>1</label><element-citation publication-type="journal"><person-group \
person-group-type="author"><name><surname>Oak</surname><given-names>O</given-names></name>
<name><surname>Elm</surname><given-names>E</given-names></name></person-group><article-title>Soils \
of the <italic>north</italic></article-title><source>J Soil Sci</source><year>2001</year>
<volume>7</volume><fpage>101</fpage><lpage>109</lpage><pub-id pub-id-type="doi">10.5555/SOIL.7\
</pub-id><pub-id pub-id-type="pmid">33333</pub-id></element-citation></ref>
<ref id="B2"><mixed-citation publication-type="journal"><string-name><surname>Elm</surname>, \
<given-names>E.</given-names></string-name> <article-title>Leaves</article-title>. <source>Leaf \
Letters</source> <volume>3</volume>, <elocation-id>e77</elocation-id> (<year>2002a</year>). \
<ext-link ext-link-type="uri" xlink:href="https://doi.org/10.6666/LL.3">link</ext-link>\
</mixed-citation></ref>
<ref id="B3"><mixed-citation>Ash A, Birch B. Bark of the south. Bark Res. 1999 Jul;5(1):7-9. doi: \
10.7777/bark.5</mixed-citation></ref>
<ref id="B4"><element-citation publication-type="book"><collab>Forest Group</collab>\
<source>The Book of Trees</source><year>1998</year><publisher-name>Press</publisher-name>\
</element-citation></ref>
<ref id="B5"><citation-alternatives><element-citation><article-title>Once</article-title>\
</element-citation><mixed-citation>Once. 1998.</mixed-citation></citation-alternatives></ref>
<ref id="B6"><note><p>No citation at all.</p></note></ref></ref-list></back>
<sub-article article-type="reply"><front-stub><title-group><article-title>Reply</article-title>
</title-group></front-stub><back><ref-list><ref><mixed-citation>Other. 1997.</mixed-citation></ref>
</ref-list></back></sub-article></article>
"""
