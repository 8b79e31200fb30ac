"""What devices can do at the most: dense TFLOP/s by type, and TB/s of their memory, as their makers state.

No sparsity, boost clocks, and for GeForce and RTX cards the rate with sums in float32, as PyTorch keeps
them. An MI200 is two devices to PyTorch: half of the card's figures. What a device reaches in practice is
less: a share of these is a share of the data sheet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tbprof.records import dataclass

__all__ = ["DEVICES", "Peaks", "find_peaks", "is_slice"]


@dataclass(frozen=True, slots=True)
class Peaks:
    name: str
    """Of the device, in short."""
    pattern: str
    """Found in the names that traces have for it; the first one of `DEVICES` counts."""
    terabytes_s: float
    float32: float | None
    """TFLOP/s without matrix units, as the next one; None where the maker names none."""
    float64: float | None
    half: float
    """On matrix units as all below: float16, and bfloat16 where `bfloat16` says nothing else."""
    source: str
    tf32: float | None = None
    """What a float32 product takes that runs on matrix units: TF32 on NVIDIA, float32 itself on AMD."""
    matrix_float64: float | None = None
    float8: float | None = None
    int8: float | None = None
    bfloat16: float | None = None
    """0 where the device has none."""

    @property
    def matrix(self) -> Mapping[str, float]:
        """TFLOP/s of matrix units, by the names that torch gives the types."""
        brain = self.half if self.bfloat16 is None else self.bfloat16
        rates = {
            "float16": self.half,
            "bfloat16": brain,
            "float32": self.tf32,
            "float64": self.matrix_float64,
            "int8": self.int8,
            **dict.fromkeys(_FLOAT8, self.float8),
        }
        return {dtype: rate for dtype, rate in rates.items() if rate}

    def tflops(self, dtype: str, *, on_matrix_units: bool) -> float | None:
        """The rate for a type; None for one that the data sheet does not name."""
        if on_matrix_units and dtype in self.matrix:
            return self.matrix[dtype]
        if dtype in _FLOAT8:
            return None
        return self.float64 if dtype == "float64" else self.float32


_FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")

# Compared with what torch, Lightning, torchtitan and xformers made of the same documents. The figures of
# B100, B300 and the Blackwell cards are those that several others quote from them, with the table or page.
# Where a maker's sheet has no rate in float64, it is the share that the whitepapers name: 1/32 of float32 on
# Turing, 1/64 on GA102 and Ada.
_V100 = "NVIDIA V100 data sheet, 2020"
"""images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf"""
_T4 = "NVIDIA T4 data sheet, 2019"
"""nvidia.com/content/dam/en-zz/Solutions/Data-Center/tesla-t4/t4-tensor-core-datasheet-951643.pdf"""
_TURING = "NVIDIA Turing architecture whitepaper, reference clocks"
"""images.nvidia.com/aem-dam/en-zz/Solutions/design-visualization/technologies/turing-architecture/
NVIDIA-Turing-Architecture-Whitepaper.pdf, appendix A"""
_A100 = "NVIDIA A100 data sheet, 2021"
"""nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf;
of 40 GB developer.nvidia.com/blog/nvidia-ampere-architecture-in-depth"""
_A30 = "NVIDIA A30 data sheet, 2022"
"""nvidia.com/content/dam/en-zz/Solutions/data-center/products/a30-gpu/pdf/a30-datasheet.pdf"""
_A10G = "NVIDIA A10G data sheet for AWS, 2022"
"""d1.awsstatic.com/product-marketing/ec2/NVIDIA_AWS_A10G_DataSheet_FINAL_02_17_2022.pdf; an A10 has more"""
_A10 = "NVIDIA A10 data sheet, 2021"
"""nvidia.com/content/dam/en-zz/Solutions/Data-Center/a10/pdf/a10-datasheet.pdf"""
_A40 = "NVIDIA A40 data sheet, 2021"
"""images.nvidia.com/content/Solutions/data-center/a40/nvidia-a40-datasheet.pdf"""
_GA102 = "NVIDIA Ampere GA102 architecture whitepaper"
"""nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf, appendix A and B"""
_ADA = "NVIDIA Ada architecture whitepaper"
"""images.nvidia.com/aem-dam/Solutions/Data-Center/l4/nvidia-ada-gpu-architecture-whitepaper-v2.1.pdf,
appendix A"""
_L40S = "NVIDIA L40S data sheet"
"""resources.nvidia.com/en-us-l40s/l40s-datasheet-28413"""
_L4 = "NVIDIA L4 data sheet, half of the rates with sparsity"
"""resources.nvidia.com/en-us-gpu-resources/l4-tensor-datasheet"""
_H100 = "NVIDIA H100 data sheet, half of the rates with sparsity"
"""resources.nvidia.com/en-us-gpu-resources/h100-datasheet-24306"""
_GH200 = "NVIDIA GH200 data sheet, half of the rates with sparsity"
"""nvidia.com/en-us/data-center/grace-hopper-superchip; no source names the memory of 144 GB"""
_H200 = "NVIDIA H200 data sheet, half of the rates with sparsity"
"""nvdam.widen.net/s/nb5zzzsjdf/hpc-datasheet-sc23-h200-datasheet-3002446"""
_BLACKWELL = "NVIDIA Blackwell architecture technical brief, half of the rates with sparsity"
"""nvdam.widen.net/s/xqt56dflgh/nvidia-blackwell-architecture-technical-brief"""
_HGX_B300 = "NVIDIA HGX platform page, an eighth of HGX B300, half of the rates with sparsity"
"""nvidia.com/en-us/data-center/hgx; it names no rate in int8 for all versions of the board alike"""
_RTX_BLACKWELL = "NVIDIA RTX Blackwell GPU architecture whitepaper"
"""images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf, tables of
RTX 5090 and RTX 5080; with sums in float32"""
_RTX_PRO_BLACKWELL = "NVIDIA RTX PRO Blackwell GPU architecture whitepaper"
"""nvidia.com/content/dam/en-zz/Solutions/design-visualization/quadro-product-literature/
NVIDIA-RTX-Blackwell-PRO-GPU-Architecture-v1.0.pdf, table 4"""
_TENSORRT_LLM = "NVIDIA TensorRT-LLM, table of devices"
"""github.com/NVIDIA/TensorRT-LLM, tensorrt_llm/auto_parallel/cluster_info.py: of devices without a public
data sheet. It names rates of matrix units only."""
_MI210 = "AMD Instinct MI210 data sheet"
"""amd.com/content/dam/amd/en/documents/instinct-business-docs/product-briefs/instinct-mi210-brochure.pdf"""
_CDNA2 = "AMD Instinct MI200 series data sheet; the half of a card that is one device"
"""amd.com/en/products/accelerators/instinct/mi200/mi250x.html and mi250.html"""
_CDNA3 = "AMD Instinct MI300 series data sheets"
"""amd.com/content/dam/amd/en/documents/instinct-tech-docs/data-sheets/amd-instinct-mi300x-data-sheet.pdf,
amd-instinct-mi300a-data-sheet.pdf; amd.com/en/products/accelerators/instinct/mi300/mi325x.html"""
_CDNA4 = "AMD Instinct MI350 series data sheets"
"""amd.com/content/dam/amd/en/documents/instinct-tech-docs/product-briefs/amd-instinct-mi350x-gpu-brochure.pdf
and .../white-papers/amd-cdna-4-architecture-whitepaper.pdf"""

DEVICES: tuple[Peaks, ...] = (
    Peaks("V100S PCIe", r"V100S-PCIE", 1.134, 16.4, 8.2, 130.0, _V100, bfloat16=0),
    Peaks("V100 PCIe", r"V100-PCIE", 0.9, 14.0, 7.0, 112.0, _V100, bfloat16=0),
    Peaks("V100", r"V100", 0.9, 15.7, 7.8, 125.0, _V100, bfloat16=0),
    Peaks("T4", r"\bT4\b", 0.32, 8.1, 0.25, 65.0, _T4, bfloat16=0, int8=130.0),
    Peaks("RTX 2080 Ti", r"RTX 2080 Ti", 0.616, 13.4, 0.42, 53.8, _TURING, bfloat16=0, int8=215.2),
    Peaks(
        "A100 80GB PCIe",
        r"A100 80GB PCIe|A100-PCIE-80GB",
        1.935,
        19.5,
        9.7,
        312.0,
        _A100,
        tf32=156.0,
        matrix_float64=19.5,
        int8=624.0,
    ),
    Peaks(
        "A100 80GB SXM",
        r"A100.*80GB",
        2.039,
        19.5,
        9.7,
        312.0,
        _A100,
        tf32=156.0,
        matrix_float64=19.5,
        int8=624.0,
    ),
    Peaks("A100 40GB", r"A100", 1.555, 19.5, 9.7, 312.0, _A100, tf32=156.0, matrix_float64=19.5, int8=624.0),
    Peaks(
        "A30",
        r"\bA30\b",
        0.933,
        10.3,
        5.2,
        165.0,
        _A30,
        tf32=82.0,
        matrix_float64=10.3,
        int8=330.0,
    ),
    Peaks("A10G", r"\bA10G\b", 0.6, 31.5, 0.49, 70.0, _A10G, tf32=35.0, int8=140.0),
    Peaks("A10", r"\bA10\b", 0.6, 31.2, 0.49, 125.0, _A10, tf32=62.5, int8=250.0),
    Peaks("A40", r"\bA40\b", 0.696, 37.4, 0.58, 149.7, _A40, tf32=74.8, int8=299.3),
    Peaks("RTX A6000", r"RTX A6000", 0.768, 38.7, 0.6, 154.8, _GA102, tf32=77.4, int8=309.7),
    Peaks("RTX 3090", r"RTX 3090\b(?! Ti)", 0.936, 35.6, 0.56, 71.0, _GA102, tf32=35.6, int8=284.0),
    Peaks(
        "L40S",
        r"\bL40S\b",
        0.864,
        91.6,
        1.4,
        362.05,
        _L40S,
        tf32=183.0,
        float8=733.0,
        int8=733.0,
    ),
    Peaks(
        "L40",
        r"\bL40\b",
        0.864,
        90.5,
        1.4,
        181.05,
        _ADA,
        tf32=90.5,
        float8=362.0,
        int8=362.0,
    ),
    Peaks(
        "L20",
        r"\bL20\b",
        0.864,
        None,
        None,
        119.0,
        _TENSORRT_LLM,
        tf32=60.0,
        float8=238.0,
        int8=238.0,
    ),
    Peaks("L2", r"\bL2\b", 0.3, None, None, 97.0, _TENSORRT_LLM, tf32=48.0, float8=193.0, int8=193.0),
    Peaks(
        "L4",
        r"\bL4\b",
        0.3,
        30.3,
        0.47,
        121.0,
        _L4,
        tf32=60.0,
        float8=242.5,
        int8=242.5,
    ),
    Peaks(
        "RTX 4090",
        r"RTX 4090\b(?! (?:D|Laptop))",
        1.008,
        82.6,
        1.3,
        165.2,
        _ADA,
        tf32=82.6,
        float8=330.3,
        int8=660.6,
    ),
    Peaks(
        "RTX 5090",
        r"RTX 5090\b(?! (?:D|Laptop))",
        1.792,
        104.8,
        1.64,
        209.5,
        _RTX_BLACKWELL,
        tf32=104.8,
        float8=419.0,
        int8=838.0,
    ),
    Peaks(
        "RTX 5080",
        r"RTX 5080\b(?! Laptop)",
        0.96,
        56.3,
        0.88,
        112.6,
        _RTX_BLACKWELL,
        tf32=56.3,
        float8=225.1,
        int8=450.2,
    ),
    Peaks(
        "RTX PRO 6000 Blackwell",
        r"RTX PRO 6000 Blackwell Workstation",
        1.792,
        126.0,
        1.97,
        503.8,
        _RTX_PRO_BLACKWELL,
        tf32=251.9,
        float8=1007.6,
        int8=1007.6,
    ),
    Peaks("H20", r"\bH20\b(?!-)", 4.0, None, None, 147.0, _TENSORRT_LLM, tf32=74.0, float8=293.0, int8=293.0),
    Peaks(
        "H100 PCIe",
        r"H100 PCIe",
        2.0,
        51.0,
        26.0,
        756.0,
        _H100,
        tf32=378.0,
        matrix_float64=51.0,
        float8=1513.0,
        int8=1513.0,
    ),
    Peaks(
        "H100 NVL",
        r"H100 NVL",
        3.9,
        60.0,
        30.0,
        835.5,
        _H100,
        tf32=417.5,
        matrix_float64=60.0,
        float8=1670.5,
        int8=1670.5,
    ),
    Peaks(
        "H100 SXM",
        r"H100",
        3.35,
        67.0,
        34.0,
        989.5,
        _H100,
        tf32=494.5,
        matrix_float64=67.0,
        float8=1979.0,
        int8=1979.0,
    ),
    Peaks(
        "GH200 96GB",
        r"GH200 (?:480|120)GB",
        4.0,
        67.0,
        34.0,
        989.5,
        _GH200,
        tf32=494.5,
        matrix_float64=67.0,
        float8=1979.0,
        int8=1979.0,
    ),
    Peaks(
        "H200 NVL",
        r"\bH200 NVL",
        4.8,
        60.0,
        30.0,
        835.5,
        _H200,
        tf32=417.5,
        matrix_float64=60.0,
        float8=1670.5,
        int8=1670.5,
    ),
    Peaks(
        "H200 SXM",
        r"\bH200",
        4.8,
        67.0,
        34.0,
        989.5,
        _H200,
        tf32=494.5,
        matrix_float64=67.0,
        float8=1979.0,
        int8=1979.0,
    ),
    Peaks(
        "GB200",
        r"GB200",
        8.0,
        90.0,
        45.0,
        2500.0,
        _BLACKWELL,
        tf32=1250.0,
        matrix_float64=45.0,
        float8=5000.0,
        int8=5000.0,
    ),
    Peaks(
        "B200",
        r"\bB200",
        8.0,
        80.0,
        40.0,
        2250.0,
        _BLACKWELL,
        tf32=1100.0,
        matrix_float64=40.0,
        float8=4500.0,
        int8=4500.0,
    ),
    Peaks(
        "B300",
        r"\bB300",
        8.0,
        75.0,
        1.25,
        2250.0,
        _HGX_B300,
        tf32=1125.0,
        matrix_float64=1.25,
        float8=4500.0,
    ),
    Peaks(
        "B100",
        r"\bB100\b",
        8.0,
        None,
        None,
        1750.0,
        _BLACKWELL,
        tf32=900.0,
        matrix_float64=30.0,
        float8=3500.0,
        int8=3500.0,
    ),
    Peaks(
        "MI210",
        r"MI210",
        1.6,
        22.6,
        22.6,
        181.0,
        _MI210,
        tf32=45.3,
        matrix_float64=45.3,
        int8=181.0,
    ),
    Peaks(
        "MI250X", r"MI250X", 1.638, 23.95, 23.95, 191.5, _CDNA2, tf32=47.85, matrix_float64=47.85, int8=191.5
    ),
    Peaks(
        "MI250", r"MI250", 1.638, 22.65, 22.65, 181.05, _CDNA2, tf32=45.25, matrix_float64=45.25, int8=181.05
    ),
    Peaks(
        "MI300A",
        r"MI300A",
        5.3,
        122.6,
        61.3,
        980.6,
        _CDNA3,
        tf32=122.6,
        matrix_float64=122.6,
        float8=1961.2,
        int8=1961.2,
    ),
    Peaks(
        "MI300X",
        r"MI300X",
        5.3,
        163.4,
        81.7,
        1307.4,
        _CDNA3,
        tf32=163.4,
        matrix_float64=163.4,
        float8=2614.9,
        int8=2614.9,
    ),
    Peaks(
        "MI325X",
        r"MI325X",
        6.0,
        163.4,
        81.7,
        1307.4,
        _CDNA3,
        tf32=163.4,
        matrix_float64=163.4,
        float8=2614.9,
        int8=2614.9,
    ),
    Peaks(
        "MI350X",
        r"MI350X",
        8.0,
        144.2,
        72.1,
        2306.9,
        _CDNA4,
        tf32=144.2,
        matrix_float64=72.1,
        float8=4613.7,
        int8=4613.7,
    ),
    Peaks(
        "MI355X",
        r"MI355X",
        8.0,
        157.3,
        78.6,
        2516.6,
        _CDNA4,
        tf32=157.3,
        matrix_float64=78.6,
        float8=5033.2,
        int8=5033.2,
    ),
)


_SLICE = re.compile(r"\bMIG\b")


def is_slice(device: str) -> bool:
    """Whether a device is a part of a card, as `NVIDIA H100 80GB HBM3 MIG 1g.10gb`.

    No data sheet has the rates of one. How they relate to each other is as on the whole card.
    """
    return _SLICE.search(device) is not None


@cache
def find_peaks(device: str) -> Peaks | None:
    """Those of a device by its recorded name, as `NVIDIA H100 80GB HBM3`; None for one not in the table.

    Of a slice those of the whole card.
    """
    return next((peaks for peaks in DEVICES if re.search(peaks.pattern, device)), None)
