#pragma once
// What the test program calls of the stand-in's libcuda beside the driver's own functions in <cuda.h>.

#include <cstdint>
#include <cuda.h>

namespace standin {

// The first words of a module that is part of the program.
inline constexpr const char* kBuiltIn = "# built in\n";

enum class Lasts { no, until_waited_for, until_answered };

}  // namespace standin

extern "C" {

// What the next launch of this thread does: fail its context with a code, or run on until the context is
// waited for or the host answers.
void standin_next_launch(int error, standin::Lasts lasts);
void standin_answer();
// Drops so many of the next activity records; holds all later ones back until hold is 0 again, or the end.
void standin_records(std::int64_t drop, int hold);

// A page of managed memory goes to the first device.
void standin_migrate(std::uint64_t address, std::uint64_t bytes);
// Whether somebody wants to know.
int standin_migrations_on();

// So much of the GPU's memory is free.
void standin_free_memory(std::int64_t bytes);

// A node after all others of the graph: of a CUgraphNodeType, with its graph if it has one.
void standin_add_node(CUgraph graph, int type, CUgraph child);

// As compiled with --default-stream per-thread.
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ,
                             unsigned blockDimX, unsigned blockDimY, unsigned blockDimZ,
                             unsigned sharedMemBytes, CUstream hStream, void** kernelParams, void** extra);
}
