"""Write a title that is in capitals as a sentence; what is no sentence keeps its capitals.

Which words are names cannot be known: a short list of acronyms and of adjectives and nouns that are
always capitalised serves, and a word with digits, or without vowels, stays as it is.
"""

import re

_SHARE = 0.8
_FEWEST = 8
"""Cased letters of a title, less of which may be an acronym or two."""
_LONG_WORD = re.compile(r"[^\W\d_]{5}")
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s)", re.IGNORECASE)
_ROMAN = re.compile(r"(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})")
_VOWEL = re.compile("[AEIOUY]")
_LONGEST_WITHOUT_VOWEL = 5
# After which a sentence begins; a letter before a full stop is an initial.
_SENTENCE = re.compile(
    r"(?:[:?!]|(?<![^\W\d_])(?:[^\W\d_]{3,}|[IVX]+)\.|\d\.|\. ?[-\u2013\u2014])\W*$"
)
_BREAK = re.compile(r"[:?!.]")

_ACRONYMS = frozenset(
    """DNA RNA AIDS HIV MRI FMRI EEG MEG ECG EKG PET CT ICU USA UK EU UN UNESCO
    NATO NASA ESA IEEE ACM ACL VLSI CAD CAM GIS GPS GUI API CPU GPU RAM ROM LAN WAN ATM
    IP TCP UDP HTTP HTML URL XML SGML OWL RDF UML OOP LISP ML AI NLP OCR IR IT ICT HCI
    ASCII ISO ANSI LED LCD LASER UV IR NMR EPR ESR SEM TEM AFM STM ATP ADP AMP GTP NADH
    NADPH GABA NMDA AMPA LDL HDL BMI IQ IL TNF TGF EGF IGF VEGF CAMP PCR ELISA COPD SARS
    COVID MERS DDT PCB PVC OH NO EM ANOVA MANOVA ARIMA ARMA GARCH OLS PCA ICA SVM LDA HMM
    MCMC BIC AIC ROC AUC SIFT SURF FFT DCT AM FM RF EMG MEMS MOSFET CMOS QCD QED QFT SUSY
    ADS AGN UFO USSR GDR GDP OECD WHO IMF EC EEC CEO OSHA EPA FDA NIH NSF DOD DOE FBI CIA
    CERN ESO LIGO LHC SLAC DESY BACON IEE SIAM AAAI SIGMOD SIGGRAPH SIGIR WWW VR AR MUC
    DARPA ARPA TREC SMT LFG HPSG TAG GPSG PROLOG ATNS ATN ALGOL FORTRAN COBOL SQL UNIX
    OPEC WTO GATT NAFTA ADHD PTSD OCD LSD THC ACTH GH FSH LH TSH PTH ANOVAS ICD DSM UTI
    STD STDS IVF SIDS ALS SLE NSAID NSAIDS ACE MHC HLA TCR BCR NK APC APP""".split()
) - {"WHO", "IT", "NO", "AM", "LASER", "BACON", "TAG", "CAMP", "ACE", "SURF", "PET", "ADS", "AIDS"}
"""Without those that are words, too."""
_NAMES = {
    name.upper(): name
    for name in """
    January February April June July August September October November December Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday Africa African Africans America American Americans
    Antarctic Antarctica Arctic Asia Asian Atlantic Australia Australian Austria Austrian
    Bangladesh Belgian Belgium Berlin Boston Brazil Brazilian Britain British Bulgaria Bulgarian
    California Cambridge Canada Canadian Caribbean Chicago Chile China Chinese Christian
    Christianity Colombia Croatia Cuba Cyprus Czech Danish Denmark Dutch Egypt Egyptian England
    English Estonia Estonian Ethiopia Europe European Europeans Finland Finnish Florida France
    French Georgia German Germany Greece Greek Greenland Hawaii Hebrew Hindi Hungarian Hungary
    Iceland Icelandic India Indian Indians Indonesia Indonesian Iran Iranian Iraq Ireland Irish
    Islam Islamic Israel Israeli Italian Italy Japan Japanese Jerusalem Jewish Jordan Kenya Korea
    Korean Latin Latvia Lebanon Lithuania London Madagascar Malaysia Malta Mediterranean
    Mesopotamia Mexican Mexico Mongolia Morocco Moscow Muslim Nepal Netherlands Nigeria Norway
    Norwegian Oxford Pacific Pakistan Palestine Paris Persian Peru Peruvian Philippines Poland
    Polish Portugal Portuguese Roman Romans Romania Romanian Rome Russia Russian Sanskrit Scotland
    Scottish Serbia Siberia Sicily Singapore Slovak Slovenia Slovenian Spain Spanish Sudan Sweden
    Swedish Swiss Switzerland Syria Syrian Taiwan Tanzania Texas Thai Thailand Tibet Tokyo Tunisia
    Turkish Uganda Ukraine Ukrainian Vietnam Vietnamese Wales Washington Yemen York Zealand
    Zimbabwe Albania Albanian Anatolia Anatolian Assyrian Aztec Babylonian Balkan Balkans Baltic
    Bosnia Byzantine Celtic Etruscan Inca Macedonia Macedonian Maya Mongol Neanderthal
    Neanderthals Ottoman Phoenician Sumerian Viking Bayes Bayesian Boolean Brownian Cartesian
    Coulomb Darwin Darwinian Einstein Euclidean Euler Fourier Galerkin Gauss Gaussian Hamiltonian
    Hilbert Jacobian Lagrangian Laplace Laplacian Lorentz Lyapunov Markov Maxwell Mendelian Newton
    Newtonian Poisson Riemann Riemannian Alzheimer Alzheimer's Parkinson Parkinson's Crohn's
    Hodgkin's Huntington's Drosophila Escherichia Arabidopsis Caenorhabditis Xenopus Saccharomyces
    Jupiter Venus Linux Java PhD pH mRNA tRNA""".split()
}
_LETTERED = frozenset("VITAMIN HEPATITIS INFLUENZA PART TYPE CLASS GROUP APPENDIX PHASE".split())
"""What an A names one of, instead of being an article."""
_MONTHS = frozenset(["MAY", "MARCH"])
_DATE = re.compile(r"[ .,]+\d")
_LOWER = frozenset("VS TH ND RD NR MM CM KM KG HZ MS NM".split())


def is_name(word: str) -> bool:
    """Tell a word that is always capitalised, as far as that is known."""
    return _NAMES.get(word.upper()) == word


def sentence_case(title: str) -> str:
    """Put a title of capitals into sentence case; any other is returned as it is.

    >>> sentence_case("THE STRUCTURE OF DNA: PART II OF A STUDY IN 3D")
    'The structure of DNA: Part II of a study in 3D'
    """
    lower = sum(map(str.islower, title))
    upper = sum(map(str.isupper, title)) if lower * 4 <= len(title) else 0
    in_capitals = upper >= _FEWEST and upper >= _SHARE * (upper + lower)
    if not in_capitals or " " not in title.strip() or not _LONG_WORD.search(title):
        return title
    parts: list[str] = []
    end, begins, former = 0, True, ""
    for match in _TOKEN.finditer(title):
        between = title[end : match.start()]
        if _BREAK.search(between) and _SENTENCE.search(title[: match.start()][-40:]):
            begins = True
        lettered = match[0] == "A" and former in _LETTERED
        word = "A" if lettered else _written(match[0], title[match.end() :])
        # "mRNA" and "pH" begin with no capital.
        parts += [between, word[:1].upper() + word[1:] if begins and word == word.lower() else word]
        end, begins, former = match.end(), False, match[0]
    return "".join([*parts, title[end:]])


def _written(word: str, after: str) -> str:
    """Write one word as it stands inside of a sentence."""
    if not word.isupper() or word in _ACRONYMS:
        return word
    if word in _NAMES:
        return _NAMES[word]
    if word in _MONTHS and _DATE.match(after):
        return word.capitalize()
    if (
        len(word) == 1 and word.isascii()
    ):  # A name of a thing, as in "vitamin A", "part A: ..." or "E. coli".
        return word if word != "A" or not after.startswith(" ") else "a"
    if _ORDINAL.fullmatch(word):
        return word.lower()
    if any(character.isdigit() for character in word) or _ROMAN.fullmatch(word):
        return word
    short = len(word) <= _LONGEST_WITHOUT_VOWEL and word.isascii() and word.isalpha()
    if short and word not in _LOWER and not _VOWEL.search(word):
        return word
    return word.lower()
