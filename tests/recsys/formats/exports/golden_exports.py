"""Exports of invented works, written as the programs named below write theirs.

Web of Science: https://images.webofknowledge.com/images/help/WOS/hs_wos_fieldtags.html (tags),
https://github.com/massimoaria/bibliometrix/pull/644 (two ways to write a cited author).
PubMed: https://www.nlm.nih.gov/bsd/mms/medlineelements.html. EndNote: "Creating a Tagged EndNote
Import File" in its user guide, https://kb.howsci.com/importing-references/. RIS:
https://gris.readthedocs.io/en/latest/specification.html,
https://refdb.sourceforge.net/manual-0.9.6/sect1-ris-format.html; as Scopus writes it: the tests of
https://github.com/coreofscience/python-bibx; as EndNote reads it: http://www.adeptscience.co.uk/kb/article/A626.
"""

WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Tarn, QX
   de Vrie, L
   Müller-Oss, K
AF Tarn, Quillon X.
   de Vrie, Lena
   Mueller-Oss, Karl
CA Reef Watch Grp
TI Slow lanterns: how <i>Lumina
   tarda</i> keeps its light through the polar
   night
SO ANNALS OF INVENTED BIOLOGY
LA English
DT Article; Proceedings Paper
DE light organs; polar night; Lumina
   tarda
ID COLD ADAPTATION; LIGHT-ORGANS; POLAR NIGHT
AB We watched lanterns for nine winters. They dim
   but never go out. (C) 2016 Invented Press.
C1 [Tarn, Quillon X.] Univ Nowhere, Dept Light, Noplace, Iceland.
EM q@example.org
CR *NAT LIGHT COUNC, 2009, REPORT LANTERNS
   Aaker, JL, 1997, J INVENT RES, V34, P347, DOI 10.5555/3151897
   Bosse Rika, 2021, ARXIV210807258CS, DOI [DOI 10.48550/arxiv.2108.07258, 10.5555/B.2]
   van der Hout WMP, 2018, BUS LIGHT ENG, V60, P269, DOI 10.5555/s12599-018-0542-4
NR 4
TC 7
SN 1234-5678
J9 ANN INVENT BIOL
JI Ann. Invent. Biol.
PD FEB 3
PY 2016
VL 12
IS 2
BP 101
EP 119
DI 10.5555/AIB.2016.101
PG 19
WC Marine & Freshwater Biology; Optics
SC Marine & Freshwater Biology; Optics
GA AB1CD
UT WOS:000370000000001
PM 26900001
DA 2024-05-31
ER

PT B
BA Oduya, F
BF Oduya, Folake
TI Handbook of Shade
SO HANDBOOK OF SHADE
DT Book
PY 1999
BN 978-0-00-000000-2
D2 10.5555/shade
UT WOS:000080000000002
ER

PT J
AU Roe, A
TI Not yet printed
SO J EARLY
DT Article
EA SEP 2023
AR 116467
UT WOS:001000000000003
ER

EF"""

NBIB = """
PMID- 31000001
OWN - NLM
STAT- MEDLINE
LR  - 20240101
IS  - 1234-5678 (Electronic)
VI  - 93
IP  - 14
DP  - 2019 Dec-2020 Jan
TI  - The light of Lumina tarda in
      winter.
PG  - 6913-7
LID - S0003-9861(18)31016-6 [pii]
LID - 10.5555/nb.2019.1 [doi]
AB  - BACKGROUND: Lanterns are watched. METHODS: Nine winters were
      waited for.
CI  - Copyright (c) 2019 Invented Press.
FAU - Tarn, Quillon X
AU  - Tarn QX
AD  - University of Nowhere,
      Noplace, Iceland.
FAU - van Raal, M J
AU  - van Raal MJ
CN  - Reef Watch Group
LA  - eng
PT  - Journal Article
PT  - Retracted Publication
TA  - Ann Invent Biol
JT  - Annals of invented biology
MH  - Animals
MH  - *Light Organs/metabolism/physiology
MH  - Protein Structure, Secondary
OT  - *lanterns
OT  - polar night
PMC - PMC7000001
EDAT- 2019/12/09 06:00
AID - 10.5555/nb.2019.1 [doi]
PST - ppublish
SO  - Ann Invent Biol. 2019 Dec;93(14):6913-7. doi: 10.5555/nb.2019.1.

PMID- 31000002
STAT- Publisher
DP  - 2009
TI  - [Shade and its uses].
BTI - Handbook of Shade
AU  - Oduya FA
PT  - Book Chapter
AID - NBK1826 [bookaccession]

"""

ENW = """%0 Journal Article
%A Tarn, Quillon X.
%A Lena de Vrie
%T Slow lanterns
%J Annals of Invented Biology
%V 12
%N 2
%P 101-119
%@ 1234-5678
%D 2016
%8 February 3
%X We watched lanterns for nine winters.

They dim but never go out.
%K light organs
polar night
%R 10.5555/AIB.2016.101
%U https://example.org/lanterns
%F tarn2016
%M WOS:000370000000001

%0 Conference Proceedings
%A Oduya, Folake
%T Shade in proceedings
%B Proceedings of Shade 1999
%D 1999
%P 7
"""

RIS = """TY  - JOUR
TI  - Slow lanterns
T2  - Annals of Invented Biology
VL  - 12
IS  - 2
C7  - 093903
PY  - 2020
DO  - 10.5555/5.0020407
AU  - Tarn, Q.X.
AU  - de Vrie, L.
KW  - Lanterns
KW  - Polar night
N1  - Export Date: 15 October 2020; Cited By: 3
M3  - Article
DB  - Scopus
C2  - 31000001
N1  - References: Aaker, J.L., (1997) J. Invent. Res., 34, p. 347. , https://doi.org/10.5555/3151897;
Oduya, F., (1999) Handbook of Shade;
UR  - https://www.scopus.com/inward/record.uri?eid=2-s2.0-85091557653&partnerID=40
ER  -

"""

ALL = (WOS, NBIB, ENW, RIS)
