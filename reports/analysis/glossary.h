#pragma once
// What each term means: docs/glossary.md, the page's glossary and the meanings of the columns have it from
// here.

#include <array>
#include <string_view>

namespace coalescope::analysis {

struct Term {
  std::string_view term;
  std::string_view definition;
  bool on_page = false;  // a reader of a report meets it
};

inline constexpr std::array kGlossary{
    // clang-format off
    Term{"kernel", "A function that runs on the GPU in many threads at once. Threads form blocks, and blocks form the grid.", true},
    Term{"warp", "32 threads of a block that execute an instruction together.", true},
    Term{"lane", "One thread of a warp."},
    Term{"request", "One memory instruction executed by one warp. It covers the addresses of up to 32 threads.", true},
    Term{"sector", "32 aligned bytes: the smallest amount that moves between L1, L2 and DRAM. A request moves as many sectors as "
         "its addresses touch.", true},
    Term{"data bytes", "The distinct bytes that the threads of a warp request, summed over requests. A word that all of them read "
         "counts once.", true},
    Term{"degree of coalescing", "Data bytes / (32 x sectors): the share of the bytes moved that was requested. Neighbouring "
         "threads that access neighbouring words reach 100 %. A 4-byte word that a whole warp shares gives 4 / 32 = 12.5 %.", true},
    Term{"coalesced", "A request is coalesced if its degree of coalescing is 100 %.", true},
    Term{"ideal sectors", "The sectors that the requested bytes would fill if they lay side by side. A word that lanes share "
         "counts for each of them, but the ideal never exceeds the sectors that were touched.", true},
    Term{"sector efficiency", "Ideal sectors / sectors moved. A word that a whole warp shares gives 100 %, because one sector is "
         "the least possible; its degree of coalescing is 12.5 %.", true},
    Term{"surplus sectors", "Sectors moved beyond the ideal. The surplus of an instruction is never below zero, so a good "
         "instruction cannot hide a bad one.", true},
    Term{"wavefront", "One pass through the banks of shared memory. Bank conflicts split a request into more wavefronts than it "
         "needs.", true},
    Term{"broadcast", "All lanes of a warp read the same word."},
    Term{"stride, offset", "The distance between the words of neighbouring lanes; the distance of the first word from an aligned "
         "address."},
    Term{"kernel group", "Launches that share kernel, device, grid, block and dynamic shared memory: the unit of sampling. A few "
         "of them are measured and stand for all.", true},
    Term{"shape", "The grid of a kernel. Launches with another grid form another kernel group.", true},
    Term{"kernel family", "One function with one block size, in all its shapes and in all processes that launched it: a kernel as "
         "its author knows it."},
    Term{"variant", "Launches of one kernel group whose parameters differ, and that do different things: name [2] is the second of "
         "them.", true},
    Term{"phase", "A way of measuring: trace (times), bytes (data bytes and sectors), lines (sectors of each instruction), traffic "
         "(L2 and DRAM), hits (L2). Phases exclude each other, so each launch is measured in one of them at most.", true},
    Term{"measuring window", "The time during which one phase measures.", true},
    Term{"coverage", "How many launches of a kernel group were seen, how many were measured in each phase, and why not more.", true},
    Term{"reading", "The value of one counter for one launch."},
    Term{"not measured", "There is no number, and a reason stands beside it. It never means zero.", true},
    Term{"finding", "One piece of advice of a report: what is wrong, where, what it costs, and what to change."},
    Term{"fact", "A figure of a finding's evidence or advice, with its key and its unit."},
    Term{"lost time", "The GPU time that a repair would save, predicted from this run and from curves that were measured on this "
         "GPU or one of its kind. It is no share of the bytes: surplus that a cache absorbs costs little.", true},
    Term{"L2", "The cache that all multiprocessors share. Data that it holds are not read from DRAM again.", true},
    Term{"DRAM", "The GPU's own memory, called global memory in CUDA.", true},
    Term{"pageable, pinned", "Host memory that the system may move (from malloc), and host memory that it may not (from "
         "cudaHostAlloc or cudaHostRegister). The GPU can copy only pinned memory directly.", true},
    Term{"TMA", "The tensor memory accelerator of Hopper and later chips: one instruction moves a whole tile between global and shared "
         "memory. Its instructions are counted, the bytes that they move are not.", true},
    Term{"zero-copy", "A kernel reads or writes pinned host memory directly over the bus, without a copy before.", true},
    Term{"system memory", "Host memory as the GPU's L2 sees it."},
    Term{"calibration", "Runs kernels whose counts are known in advance, and records what this GPU reaches.", true},
    Term{"machine profile", "A GPU's curves of time over stride, offset and transfer size, recorded by calibrate."},
    Term{"GB", "1,000,000,000 bytes. KiB, MiB and GiB are powers of 1,024.", true},
    Term{"capture", "The file that record writes: an SQLite database whose name ends in .coal.", true},
    Term{"stream capture", "CUDA records the calls of a stream into a graph instead of running them."},
    Term{"L2 window", "CUDA's access policy window: the region whose lines a program asks L2 to keep.", true},
    Term{"call site", "A place in the program that called CUDA, or that called such a place: a frame of a call stack.", true},
    Term{"part", "What one process left during a recording. record merges the parts into the capture."},
    Term{"run", "One execution of the target. With --rerun a capture holds several runs, and times are those of the first."},
    Term{"rank, local rank", "The number of a process in a parallel program, and on its machine, as its launcher tells it."},
    Term{"target", "The program that is recorded."},
    Term{"writer process", "The process of coalescope that writes the parts (coalescope-part). The target itself opens no file "
         "for it."},
    Term{"ring", "The shared memory through which a process sends its rows to the writer process."},
    Term{"diagnostic", "A row of the capture about something that was dropped, refused or not supported."},
    Term{"notice", "A sentence at the top of a report about what did not happen, was cut off or could not be measured."},
    // clang-format on
};

// What the glossary lacks does not compile.
consteval std::string_view definition_of(std::string_view term) {
  for (const Term& each : kGlossary)
    if (each.term == term) return each.definition;
  throw "the glossary has no such term";
}

}  // namespace coalescope::analysis
