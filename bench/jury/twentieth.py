"""Public code that was held out. See twentieth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("satellite_debris", "satellites, debris that comes near to them", ("G01",), r"move|watch|find_pull",
          "A piece is a record of 64 bytes, of which kernels read and write a few numbers, so lanes lie 64 bytes apart "
          "and most of what travels is not wanted; give each number an array of its own.",
          "ProjectPhysX/FluidX3D issue 193: numbers of a kind side by side, 229 % faster on a GPU; "
          "quokka-astro/quokka issue 515: arrays instead of records of particles, 1.73 to 2.25 times as fast",
          also=("F01", "B01", "R04")),
    fault("snow_crystals", "crystals that grow in a melt", ("F03",), "",
          "After each step both fields are copied back to where they were read from, 134 MB a step; let the arrays "
          "change places.",
          "arbor-sim/arbor pull request 1027: arrays swapped instead of copied, and one solved into directly, 4 % of a "
          "whole run; dash-project/dash pull request 196: a review that asks for two pointers instead of a copy in a "
          "stencil", also=("F01", "R04")),
    fault("porous_rock", "water in porous rock, lattice Boltzmann", ("F01",), r"stream|collide",
          "One kernel moves the 19 numbers of each cell and a second one relaxes them, so 159 MB are written and read "
          "once more in each step; relax them where they are gathered, by one kernel.",
          "espressomd/espresso pull request 5075: streaming and collision merged into one kernel; crgimenes/kutta pull "
          "request 25: the same, 19 to 22 % faster on CPUs", also=("R04", "F01")),
    fault("wave_display", "holograms of a film for a modulator of light", ("T07",), "",
          "The 4.4 MB of the modulator's own offsets, which never change, are uploaded with each picture, beside 2.2 "
          "MB that are new; upload them once.",
          "beehive-lab/TornadoVM pull request 1022: an upload left out where the GPU's copy is unchanged, 2.03 times "
          "as fast; mtazzari/galario issue 27: observations that never change, to be copied only once",
          also=("T03", "T04", "G04")),
    fault("power_grid", "power grid, voltages hour by hour", ("T03",), "",
          "After each turn the host downloads four bytes and waits for them to learn whether voltages have settled, "
          "and the GPU idles until the next turn is launched; let the kernels themselves look at it (or ask only once in "
          "several turns).",
          "spiriMirror/libuipc pull request 358: numbers of an iteration stay on the GPU, 30 % less time for a solve; "
          "ORNL/ReSolve pull request 458: a download and wait less in each step, 0.85 s become 0.70",
          also=("T02", "T09", "T10", "R04", "G05")),
    fault("parcel_routes", "parcels, ways of vans in a city", ("T02",), "",
          "What each of 256 vans brings is uploaded by a copy of its own, of some 450 bytes, so the host needs longer "
          "for copies than the GPU for its work; upload all vans, which lie side by side, at once.",
          "r-ccs-cms/sbd pull request 47: 7.6 million small copies become one, 67 s become 0.08; paboyle/Grid pull "
          "request 494: copies of 16 bytes put together, which were 95 % of a run",
          also=("T03", "T04", "T09", "A01", "F01")),
    fault("torch_melodies", "melodies, how surprising each note is", ("F03",), r"(?i)cat|copy",
          "Keys and values of the last 640 notes are put together anew for each note, so 2.7 GB are read and written for "
          "4 MB that change; write the new ones over the oldest ones (a ring), as attention does not mind where they "
          "stand.",
          "Blaizzy/mlx-audio-swift pull request 264: a window of 8192 rows is no longer copied for each token, 105 ms "
          "become 65 with two like changes; Alescontrela/AMP_for_hardware pull request 32: a ring instead of "
          "observations that are moved", "torch",
          also=("F01", "R04", "B01", "T09")),
    fault("torch_museums", "museums, vectors of objects from facts", ("F02",),
          r"(?i)fill|memset|elementwise|embedding|foreach|multi_tensor",
          "The gradient of a table of two million vectors is a whole table, filled with zeros and read by the optimiser, "
          "though 65536 rows of it are used in a round; let the table have a sparse gradient.",
          "pytorch/pytorch issue 5309: sparse=True helps a lot for a table of half a million rows; keras-team/keras pull "
          "request 8681: 86 ms become 33 with gradients of the rows", "torch",
          also=("F01", "R04", "F03", "G05", "A01", "B01")),
    fault("torch_soils", "soils, 24 properties from spectra", ("T03", "T09"), "",
          "For each of 24 properties the known samples are picked by a mask, twice, so the host waits 48 times a round for "
          "how many there are, and the GPU idles between small kernels; find all errors and multiply them by the mask.",
          "deepmodeling/deepmd-kit pull request 3361: an index by a mask made the host wait, 3 ms a step; pytorch/vision "
          "pull request 9518: two losses without a mask as index", "torch",
          also=("T01", "T02", "F01", "F02", "R04", "F03", "K02", "B01")),
    fault("torch_carparks", "car parks, room seen by fisheye cameras", ("T07", "T03"), "",
          "The maps of the lenses are a plain attribute, so they stay in the host's memory and the same 17 MB are copied "
          "in each round while the GPU idles; register them as a buffer, so they move to the GPU once.",
          "lyuwenyu/RT-DETR pull request 679: vectors of places as a buffer instead of an attribute that is copied in "
          "each call; pytorch/vision pull request 8500: arrays made on the GPU instead of moved there, 25 % less time",
          "torch",
          also=("T01", "T04", "T09", "K01", "F01", "R04", "G01", "G04")),
    fault("cupy_frost", "frost, ice that grows on a window", ("F01",), r"(?i)cupy_(add|subtract|multiply|arctan)|curve",
          "How the ice grows is written as 15 operations on whole arrays, each of which reads and writes temporary arrays "
          "of 268 MB; write it as one elementwise kernel.",
          "cupy/cupy pull request 3312: elementwise kernels instead of operations on arrays, up to 20 times as fast; "
          "scverse/rapids-singlecell pull request 159: operations on arrays replaced by an elementwise kernel", "cupy",
          also=("F01", "R04")),
    fault("triton_perfumes", "smells of molecules, training with a norm of its own", ("A01",), r"slope_of_row\b",
          "Each of 65536 programs adds its part of the gradients of 512 weights and 512 offsets to the same 4 KB by atomic "
          "operations; let 512 programs keep sums of 128 rows each in registers, and add these up by a second kernel.",
          "linkedin/Liger-Kernel pull request 945: partial sums instead of atomics in the backward pass of a norm, 5 to 12 "
          "times as fast; ServiceNow/Fast-LLM pull request 546: a fixed number of programs, each of which folds many rows",
          "triton",
          also=("F01", "R04", "K02", "B01")),
)

CLEAN = (
    clean("bone_scan", "tomography, a bone found from X-ray pictures",
          "RTKConsortium/RTK pull request 24: several pictures spread back at once instead of one by one; pull request "
          "26: how many of them at once can be chosen", also=("G01", "G02")),
    clean("photo_press", "photographs, made smaller by waves of blocks",
          "NVIDIA/DALI pull request 2471: transforms of rows by a kernel of their own that uses shared memory; "
          "NVIDIA/DALI pull request 2801: blocks of 8 x 8 transformed in shared memory, rows nine apart",
          also=("B01",)),
    clean("broken_dam", "flood in a valley, tiles that the water has reached",
          "anuga-community/anuga_core pull request 242: only wet cells and those around them take part, 7.9 times as "
          "fast; CliMA/Oceananigans.jl issue 3918: kernels that run over a list of active cells",
          also=("G04",)),
    clean("torch_fonts", "letters in two fonts, training by likeness",
          "lightly-ai/lightly pull request 1899: a slow average by operations on lists, 47 s become 4; neel-dey/anatomix "
          "pull request 13: a like training in mixed precision with compiled losses, 6 days become 30 hours", "torch",
          also=("K02", "F01", "R04", "F03", "G04", "B01")),
    clean("torch_asteroids", "pull of an asteroid, training of a small network",
          "LibreYOLO/libreyolo pull request 716: trainings recorded as CUDA graphs, up to 3.6 times as fast; NVIDIA/apex "
          "pull request 1522: an optimiser without waits, which can be recorded", "torch",
          also=("K02", "F01", "R04", "B01", "F03")),
    clean("jax_fibres", "light in optical fibres",
          "gregmoille/pyLLE issue 22: a transform there and back that a split step does not need; jax-ml/jax pull request "
          "2936: donated arrays, as a loop would otherwise keep its state twice", "jax",
          also=("F01", "R04")),
)

CASES = FAULTS + CLEAN
