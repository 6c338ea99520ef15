"""Where each metric comes from: the paper that defines it, and the one whose form of it is used here."""

_CITRARO = (
    "L. Citraro, M. Koziński, P. Fua: *Towards Reliable Evaluation of Algorithms for Road Network Reconstruction from "
    "Aerial Images.* European Conference on Computer Vision (ECCV), 2020, with its supplement."
)
_SPACENET = (
    "A. Van Etten, D. Lindenbaum, T. M. Bacastow: *SpaceNet: A Remote Sensing Dataset and Challenge Series.* "
    "arXiv:1807.01232, 2018."
)
_OZDEMIR = (
    "B. Özdemir, S. Aksoy, S. Eckert, M. Pesaresi, D. Ehrlich: *Performance measures for object detection evaluation.* "
    "Pattern Recognition Letters 31, 2010."
)
_LIU_DORI = (
    "W. Liu, D. Dori: *A protocol for performance evaluation of line detection algorithms.* Machine Vision and "
    "Applications 9, 1997."
)
_HAUSDORFF = "F. Hausdorff: *Grundzüge der Mengenlehre.* Leipzig, 1914."
_CHAMFER = (
    "H. G. Barrow, J. M. Tenenbaum, R. C. Bolles, H. C. Wolf: *Parametric correspondence and chamfer matching: two new "
    "techniques for image matching.* International Joint Conference on Artificial Intelligence (IJCAI), 1977."
)
_WIEDEMANN = (
    "C. Wiedemann, C. Heipke, H. Mayer, O. Jamet: *Empirical evaluation of automatically extracted road axes.* "
    "In: Empirical Evaluation Techniques in Computer Vision, IEEE Computer Society Press, 1998."
)
_WEGNER = (
    "J. D. Wegner, J. A. Montoya-Zegarra, K. Schindler: *A higher-order CRF model for road network "
    "extraction.* IEEE Conference on Computer Vision and Pattern Recognition (CVPR), 2013."
)
_ROADTRACER = (
    "F. Bastani, S. He, S. Abbar, M. Alizadeh, H. Balakrishnan, S. Chawla, S. Madden, D. DeWitt: *RoadTracer: "
    "Automatic Extraction of Road Networks from Aerial Images.* CVPR, 2018."
)
_BIAGIONI = (
    "J. Biagioni, J. Eriksson: *Inferring Road Maps from Global Positioning System Traces: Survey and "
    "Comparative Evaluation.* Transportation Research Record 2291, 2012."
)
_JIANG = (
    "X. Jiang, C. Marti, C. Irniger, H. Bunke: *Distance Measures for Image Segmentation Evaluation.* EURASIP "
    "Journal on Applied Signal Processing, 2006."
)
_HOOVER = (
    "A. Hoover, G. Jean-Baptiste, X. Jiang, P. J. Flynn, H. Bunke, D. B. Goldgof, K. Bowyer, D. W. Eggert, "
    "A. Fitzgibbon, R. B. Fisher: *An experimental comparison of range image segmentation algorithms.* IEEE "
    "Transactions on Pattern Analysis and Machine Intelligence 18, 1996."
)
_COCO = (
    "T.-Y. Lin, M. Maire, S. Belongie, J. Hays, P. Perona, D. Ramanan, P. Dollár, C. L. Zitnick: *Microsoft "
    "COCO: Common Objects in Context.* ECCV, 2014."
)
_BOUNDARY_IOU = (
    "B. Cheng, R. Girshick, P. Dollár, A. C. Berg, A. Kirillov: *Boundary IoU: Improving Object-Centric Image "
    "Segmentation Evaluation.* CVPR, 2021."
)
_POLIS = (
    "J. Avbelj, R. Müller, R. Bamler: *A Metric for Polygon Comparison and Building Extraction Evaluation.* "
    "IEEE Geoscience and Remote Sensing Letters 12, 2015."
)
_POLYWORLD = (
    "S. Zorzi, S. Bazrafkan, S. Habenschuss, F. Fraundorfer: *PolyWorld: Polygonal Building Extraction with "
    "Graph Neural Networks in Satellite Images.* CVPR, 2022."
)
_FRAME_FIELDS = (
    "N. Girard, D. Smirnov, J. Solomon, Y. Tarabalka: *Polygonal Building Extraction by Frame Field Learning.* "
    "CVPR, 2021."
)
_KONG = (
    "B. Kong, I. T. Phillips, R. M. Haralick, A. Prasad, R. Kasturi: *A benchmark: performance evaluation of "
    "dashed-line detection algorithms.* Graphics Recognition, Lecture Notes in Computer Science 1072, 1996."
)
_HORI_DOERMANN = (
    "O. Hori, D. S. Doermann: *Quantitative measurement of the performance of raster-to-vector conversion "
    "algorithms.* Graphics Recognition, Lecture Notes in Computer Science 1072, 1996."
)
_OWN = "No paper: defined here."

PAPERS: dict[str, dict[str, tuple[str, ...]]] = {
    "roads": {
        "ccq": (_WIEDEMANN, _CITRARO),
        "tlts": (_WEGNER, _CITRARO),
        "apls": (_SPACENET, _CITRARO),
        "junct": (_ROADTRACER, _CITRARO),
        "subg": (_BIAGIONI, _CITRARO),
        "opt-p": (_CITRARO,),
        "opt-j": (_CITRARO,),
        "opt-g": (_CITRARO,),
        "pixel": ("No paper of its own: the usual measure of image segmentation, for context.",),
        "distance": (_HAUSDORFF, _CHAMFER),
    },
    "objects": {
        "bgm": (_JIANG, _OZDEMIR),
        "hoover": (_HOOVER, _OZDEMIR),
        "max-overlap": (_OZDEMIR,),
        "iou": (_SPACENET,),
        "ap": (_COCO,),
        "boundary-ap": (_BOUNDARY_IOU,),
        "polis": (_POLIS,),
        "c-iou": (_POLYWORLD,),
        "vertex": (_OWN,),
        "angle": (_FRAME_FIELDS,),
        "right-angles": (_OWN,),
        "hausdorff": (_HAUSDORFF,),
        "chamfer": (_CHAMFER,),
        "amounts": (_OWN,),
    },
    "lines": {
        "pixel": (_LIU_DORI,),
        "vector": (_LIU_DORI,),
        "combined": (_LIU_DORI,),
        "time": (_LIU_DORI,),
        "kong": (_KONG, _LIU_DORI),
        "hori-doermann": (_HORI_DOERMANN, _LIU_DORI),
    },
}


def written_in(content: str, name: str) -> str:
    """The part of a metric's page with its papers; empty for a metric of which nobody has said where it comes from."""
    papers = PAPERS[content].get(name, ())
    return "## Where it comes from\n\n" + "\n".join(f"- {paper}" for paper in papers) + "\n" if papers else ""
