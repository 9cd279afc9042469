"""What the macros for journals stand for: those of astronomy, and those of BibTeX's styles."""

from collections.abc import Mapping

from recsys.formats.references.bibliography import alternatives

_TABLE = """aas: American Astronomical Society Meeting Abstracts; aap: Astronomy and Astrophysics
aapr: Astronomy and Astrophysics Reviews; aaps: Astronomy and Astrophysics Supplement Series
actaa: Acta Astronomica; aj: The Astronomical Journal; ao: Applied Optics; applopt: Applied Optics
apj: The Astrophysical Journal; apjl: The Astrophysical Journal Letters
apjs: The Astrophysical Journal Supplement Series; aplett: Astrophysical Letters
apjlett: The Astrophysical Journal Letters; apjsupp: The Astrophysical Journal Supplement Series
apspr: Astrophysics Space Physics Research; apss: Astrophysics and Space Science
araa: Annual Review of Astronomy and Astrophysics
areps: Annual Review of Earth and Planetary Sciences; astap: Astronomy and Astrophysics
azh: Astronomicheskii Zhurnal; baas: Bulletin of the American Astronomical Society
bac: Bulletin of the Astronomical Institutes of Czechoslovakia
bain: Bulletin of the Astronomical Institutes of the Netherlands
caa: Chinese Astronomy and Astrophysics
cjaa: Chinese Journal of Astronomy and Astrophysics
dps: AAS/Division for Planetary Sciences Meeting Abstracts
fcp: Fundamentals of Cosmic Physics; gca: Geochimica et Cosmochimica Acta
grl: Geophysical Research Letters; iaucirc: International Astronomical Union Circulars
icarus: Icarus; jaavso: The Journal of the American Association of Variable Star Observers
jcap: Journal of Cosmology and Astroparticle Physics; jcp: The Journal of Chemical Physics
jgr: Journal of Geophysical Research
jqsrt: Journal of Quantitative Spectroscopy and Radiative Transfer
jrasc: Journal of the Royal Astronomical Society of Canada
maps: Meteoritics and Planetary Science; memras: Memoirs of the Royal Astronomical Society
memsai: Memorie della Societa Astronomica Italiana
mnras: Monthly Notices of the Royal Astronomical Society; na: New Astronomy
nar: New Astronomy Reviews; nat: Nature; nphysa: Nuclear Physics A
pasa: Publications of the Astronomical Society of Australia
pasj: Publications of the Astronomical Society of Japan
pasp: Publications of the Astronomical Society of the Pacific
physrep: Physics Reports; physscr: Physica Scripta; planss: Planetary and Space Science
pra: Physical Review A; prb: Physical Review B; prc: Physical Review C; prd: Physical Review D
pre: Physical Review E; prl: Physical Review Letters; procspie: Proceedings of SPIE
psj: The Planetary Science Journal
qjras: Quarterly Journal of the Royal Astronomical Society
rmp: Reviews of Modern Physics; rmxaa: Revista Mexicana de Astronomia y Astrofisica
rnaas: Research Notes of the AAS; skytel: Sky and Telescope; solphys: Solar Physics
sovast: Soviet Astronomy; ssr: Space Science Reviews; zap: Zeitschrift fuer Astrophysik
acmcs: ACM Computing Surveys; acta: Acta Informatica; cacm: Communications of the ACM
ibmjrd: IBM Journal of Research and Development; ibmsj: IBM Systems Journal
ieeese: IEEE Transactions on Software Engineering; ieeetc: IEEE Transactions on Computers
ieeetcad: IEEE Transactions on Computer-Aided Design of Integrated Circuits
ipl: Information Processing Letters; jacm: Journal of the ACM
jcss: Journal of Computer and System Sciences; scp: Science of Computer Programming
sicomp: SIAM Journal on Computing; tocs: ACM Transactions on Computer Systems
tods: ACM Transactions on Database Systems; tog: ACM Transactions on Graphics
toms: ACM Transactions on Mathematical Software
toois: ACM Transactions on Office Information Systems
toplas: ACM Transactions on Programming Languages and Systems
tcs: Theoretical Computer Science"""
# Of https://ui.adsabs.harvard.edu/help/actions/journal-macros and of plain.bst.
JOURNALS: Mapping[str, str] = {macro: names[0] for macro, names in alternatives(_TABLE).items()}
"""By the name of a macro, in small letters and without its backslash."""
