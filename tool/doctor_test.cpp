// Every state of every check, on machines that are folders; tests/standin asks the real probe.
#include "tool/doctor.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/symbols/elf_file.h"
#include "tool/doctor_gpu.h"
#include "tool/doctor_machine.h"
#include "tool/doctor_program.h"
#include "tool/doctor_software.h"

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;

class Doctor : public testing::Test {
 protected:
  Doctor() : folder_(fs::path(testing::TempDir()) / ("doctor-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    machine_.root = folder_;
    machine_.environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    machine_.probe = [this](const std::vector<std::string>& question) -> base::Result<ProbeLines> {
      const auto found = answers_.find(question.front());
      if (found == answers_.end())
        return base::failure(base::ErrorCode::failed, "the process that asked did not end in time");
      return found->second;
    };
    answers_["driver"] = {{"library", "/usr/lib/libcuda.so.1"},
                          {"version", "13000"},
                          {"gpu", "0", "NVIDIA H100", "9.0", "GPU-1", "0000:00:06.0"}};
    answers_["cupti"] = {{"cupti", "/venv/libcupti.so.13", "CUDA 13.0", "in the Python environment"},
                         {"host", "/venv/libnvperf_host.so"}};
    answers_["counters"] = {{"chip", "GH100"}, {"support", "vgpu", "supported"}, {"counters", "ok"}};
    write("proc/driver/nvidia/version",
          "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (me)\n");
    write("proc/driver/nvidia/params", "EnableMSI: 1\nRmProfilingAdminOnly: 0\n");
    write("proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
  }
  ~Doctor() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] Check gpu_check(const std::string& name) const {
    const Checks checks = check_gpus(machine_, {});
    const auto found = std::ranges::find(checks, name, &Check::name);
    return found == checks.end() ? Check{"none"} : *found;
  }

  fs::path folder_;
  Machine machine_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, ProbeLines> answers_;
};

void expect(const Check& check, CheckState state, const std::string& text, const std::string& mend = {}) {
  EXPECT_EQ(check.state, state) << check.text;
  EXPECT_NE(check.text.find(text), std::string::npos) << check.text;
  EXPECT_NE(check.mend.find(mend), std::string::npos) << check.mend;
}

TEST_F(Doctor, AWholeMachineIsWell) {
  for (const Check& each : check_gpus(machine_, {})) EXPECT_EQ(each.state, CheckState::ok) << each.text;
  expect(gpu_check("driver"), CheckState::ok, "580.95.05 for CUDA 13.0 (/usr/lib/libcuda.so.1)");
  expect(gpu_check("gpu"), CheckState::ok, "0: NVIDIA H100, compute capability 9.0");
  expect(gpu_check("cupti"), CheckState::ok, "CUDA 13.0, /venv/libcupti.so.13 (in the Python environment)");
  expect(gpu_check("counters"), CheckState::ok, "GH100");
}

TEST_F(Doctor, NoDriverIsOneLine) {
  fs::remove_all(folder_ / "proc/driver");
  answers_["driver"] = {{"error", "not_found", "libcuda.so.1 was not found", ""}};
  expect(gpu_check("driver"), CheckState::missing, "this machine has no running NVIDIA driver");
  for (const char* name : {"gpu", "permission", "counters"}) EXPECT_EQ(gpu_check(name).name, "none") << name;
  EXPECT_EQ(gpu_check("cupti").state, CheckState::ok);
}

TEST_F(Doctor, AContainerWithoutAGpuSaysHowToGetOne) {
  answers_["driver"] = {{"error", "not_found", "libcuda.so.1 was not found", ""}};
  write(".dockerenv", "");
  expect(gpu_check("driver"), CheckState::missing, "the kernel module 580.95.05 runs", "--gpus all");
  variables_["KUBERNETES_SERVICE_HOST"] = "1";
  expect(gpu_check("driver"), CheckState::missing, "libcuda.so.1 was not found", "nvidia.com/gpu");
}

TEST_F(Doctor, HiddenGpusAreSaidToBeHidden) {
  answers_["driver"] = {{"error", "not_found", "cuInit answers CUDA_ERROR_NO_DEVICE", ""}};
  variables_["CUDA_VISIBLE_DEVICES"] = "7";
  expect(gpu_check("driver"), CheckState::missing, "CUDA_VISIBLE_DEVICES is '7'",
         "unset CUDA_VISIBLE_DEVICES");
}

TEST_F(Doctor, ADriverThatHangsIsMissing) {
  answers_.erase("driver");
  expect(gpu_check("driver"), CheckState::missing, "did not end in time");
}

TEST_F(Doctor, AnOldDriverIsDegraded) {
  answers_["driver"][1][1] = "12040";
  expect(gpu_check("driver"), CheckState::degraded, "older than CUDA 12.6", "560");
}

TEST_F(Doctor, AnOldGpuIsDegraded) {
  answers_["driver"][2][3] = "7.0";
  expect(gpu_check("gpu"), CheckState::degraded, "older than Turing");
}

TEST_F(Doctor, MissingCuptiSaysHowToGetIt) {
  answers_["cupti"] = {{"error", "not_found", "neither was found", "install it"}};
  expect(gpu_check("cupti"), CheckState::missing, "neither was found", "install it");
  EXPECT_EQ(gpu_check("counters").name, "none");
  answers_["cupti"] = {{"cupti", "/x/libcupti.so.13", "CUDA 13.0", "in a CUDA Toolkit"}, {"host", ""}};
  expect(gpu_check("cupti"), CheckState::missing, "no libnvperf_host.so beside it");
}

TEST_F(Doctor, PermissionIsWhatTheDriverSays) {
  write("proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
  expect(*check_permission(machine_), CheckState::missing, "only administrators",
         "NVreg_RestrictProfilingToAdminUsers=0");
  write(".dockerenv", "");
  expect(*check_permission(machine_), CheckState::missing, "only administrators", "--cap-add=SYS_ADMIN");
  fs::remove(folder_ / ".dockerenv");
  write("run/.containerenv", "");
  expect(*check_permission(machine_), CheckState::missing, "only administrators", "podman run");
  write("proc/self/status", "CapEff:\t0000000000200000\n");
  expect(*check_permission(machine_), CheckState::ok, "this process is one");
  write("proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
  expect(*check_permission(machine_), CheckState::ok, "every user");
  fs::remove_all(folder_ / "proc/driver");
  EXPECT_FALSE(check_permission(machine_));
}

TEST_F(Doctor, RefusedCountersSayWhatMends) {
  answers_["counters"] = {{"chip", "GH100"}, {"error", "not_permitted", "refused", "the library's words"}};
  expect(gpu_check("counters"), CheckState::missing, "GPU 0: this user may not read its counters (refused)",
         "NVreg_RestrictProfilingToAdminUsers");
  answers_["counters"] = {{"error", "unsupported", "no such chip", "use a newer one"}};
  expect(gpu_check("counters"), CheckState::missing, "no such chip", "use a newer one");
  answers_.erase("counters");
  expect(gpu_check("counters"), CheckState::missing, "did not end in time");
}

TEST_F(Doctor, BusyCountersNameWhoMayHoldThem) {
  answers_["counters"] = {{"error", "busy", "HARDWARE_BUSY", ""}};
  write("proc/12/comm", "nv-hostengine\n");
  write("proc/13/comm", "bash\n");
  expect(gpu_check("counters"), CheckState::degraded, "perhaps nv-hostengine (pid 12); a",
         "dcgmi profile --pause");
}

TEST_F(Doctor, WhatForbidsToMeasureIsNamed) {
  answers_["counters"] = {{"support", "vgpu", "disabled"},
                          {"support", "confidential", "unsupported"},
                          {"support", "wsl", "unknown"},
                          {"error", "unsupported", "no", ""}};
  expect(gpu_check("virtual-gpu"), CheckState::missing, "a virtual GPU forbids to read counters (disabled)",
         "host");
  expect(gpu_check("confidential-computing"), CheckState::missing, "(unsupported)", "devtools");
}

TEST_F(Doctor, OtherToolsAreNamed) {
  EXPECT_EQ(check_other_tool(machine_).state, CheckState::ok);
  variables_["NVTX_INJECTION64_PATH"] = "/n.so";
  expect(check_other_tool(machine_), CheckState::degraded, "/n.so", "unset NVTX_INJECTION64_PATH");
  variables_["CUDA_INJECTION64_PATH"] = "/c.so";
  expect(check_other_tool(machine_), CheckState::missing, "/c.so", "unset CUDA_INJECTION64_PATH");
}

TEST_F(Doctor, MigMpsAndWslAreSeen) {
  for (const auto& check : {check_mig(machine_), check_mps(machine_), check_wsl(machine_)})
    EXPECT_EQ(check.state, CheckState::ok) << check.text;
  write("proc/driver/nvidia/capabilities/gpu0/mig/gi7/access", "");
  expect(check_mig(machine_), CheckState::degraded, "1 MIG instance:", "-mig 0");
  write("pipes/control", "");
  variables_["CUDA_MPS_PIPE_DIRECTORY"] = "/pipes";
  expect(check_mps(machine_), CheckState::degraded, "'/pipes'", "nvidia-cuda-mps-control");
  write("proc/version", "Linux version 6.6 (Microsoft WSL2)\n");
  expect(check_wsl(machine_), CheckState::degraded, "WSL", "Control Panel");
}

TEST_F(Doctor, PythonsAreReadWithinTheirRange) {
  Python python{"/usr/bin/python3", "CPython", "3.12.3", false, false, "/x"};
  const auto judged = [&] { return check_python(python, "3.9", "3.14"); };
  expect(judged(), CheckState::ok, "CPython 3.12.3 (/usr/bin/python3): its stacks can be read");
  python.version = "3.14.0";
  EXPECT_EQ(judged().state, CheckState::ok);
  python.free_threaded = true;
  expect(judged(), CheckState::degraded, "free-threaded", "CPython 3.9 to 3.14");
  python.free_threaded = false;
  python.debug = true;
  expect(judged(), CheckState::degraded, "debug build");
  python.debug = false;
  python.version = "3.8.10";
  expect(judged(), CheckState::degraded, "older than 3.9");
  python.version = "3.15.0";
  expect(judged(), CheckState::degraded, "newer than 3.14");
  python.implementation = "PyPy";
  expect(judged(), CheckState::degraded, "is not CPython");
}

TEST_F(Doctor, APythonIsAskedAndMayNotAnswer) {
  write("python3", "#!/bin/sh\nprintf 'CPython\\t3.11.2\\t0\\t1\\t/packages\\t/real\\n'\n");
  fs::permissions(folder_ / "python3", fs::perms::owner_all);
  const auto python = describe_python(folder_ / "python3");
  ASSERT_TRUE(python) << python.error().text();
  EXPECT_EQ(python->version, "3.11.2");
  EXPECT_TRUE(python->debug);
  EXPECT_FALSE(python->free_threaded);
  EXPECT_EQ(python->site_packages, "/packages");
  EXPECT_EQ(python->path, "/real");
  write("python3", "#!/bin/sh\nkill -11 $$\n");
  const auto crashed = describe_python(folder_ / "python3");
  ASSERT_FALSE(crashed);
  EXPECT_NE(crashed.error().message.find("signal 11"), std::string::npos) << crashed.error().message;
}

TEST_F(Doctor, TheInterpreterOfAScriptComesFirst) {
  write("venv/bin/python", "#!/bin/sh\n");
  fs::permissions(folder_ / "venv/bin/python", fs::perms::owner_all);
  write("train", "#!" + (folder_ / "venv/bin/python").string() + " -u\n");
  const auto found = find_pythons(machine_, (folder_ / "train").string());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), folder_ / "venv/bin/python");
}

TEST_F(Doctor, TheDisassemblerOfAWheelIsFound) {
  expect(check_disassembler(machine_, {}), CheckState::degraded, "no nvdisasm",
         "pip install nvidia-cuda-nvdisasm");
  for (const char* place : {"packages/triton/backends/nvidia/bin/nvdisasm",
                            "packages/nvidia/cu13/bin/nvdisasm", "usr/local/cuda-12.8/bin/nvdisasm"}) {
    write(place, "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.85'\n");
    fs::permissions(folder_ / place, fs::perms::owner_all);
    expect(check_disassembler(machine_, {(folder_ / "packages").string()}), CheckState::ok,
           "release 13.0 (" + (folder_ / place).string());
  }
  write("usr/local/cuda-12.8/bin/nvdisasm", "#!/bin/sh\nexit 3\n");
  expect(check_disassembler(machine_, {}), CheckState::degraded, "ended with status 3");
}

TEST_F(Doctor, AProgramIsLookedInto) {
  const auto judged = [&](const std::string& program) {
    return check_program(machine_, program, {}).front();
  };
  // Built without -g for speed of the tests, or with it.
  const Check own = judged("/proc/self/exe");
  const bool has_lines = symbols::read_elf("/proc/self/exe")->has(".debug_line");
  expect(own, has_lines ? CheckState::ok : CheckState::degraded, "of its host code", has_lines ? "" : "-g");
  expect(judged(COALESCOPE_SOURCE_DIR "/README.md"), CheckState::missing, "is no program");
  write("train", "#!/usr/bin/env python3\n");
  expect(judged((folder_ / "train").string()), CheckState::ok, "interpreter");
  variables_["TRITON_DISABLE_LINE_INFO"] = "1";
  expect(judged((folder_ / "train").string()), CheckState::degraded, "no lines", "unset TRITON");
}

TEST_F(Doctor, KernelsHaveLinesIfCuobjdumpListsThem) {
  const std::string program = COALESCOPE_STUB;
  const auto judged = [&](const std::string& cuobjdump) {
    return check_program(machine_, program, cuobjdump).back();
  };
  expect(judged(""), CheckState::degraded, "not known without cuobjdump", "pip install");
  const auto lists = [&](const std::string& text) {
    write("cuobjdump", "#!/bin/sh\n" + text + "\n");
    fs::permissions(folder_ / "cuobjdump", fs::perms::owner_all);
    return judged((folder_ / "cuobjdump").string());
  };
  expect(lists("echo .nv_debug_line_sass"), CheckState::ok, "have lines");
  expect(lists("echo .text"), CheckState::degraded, "have no lines", "-lineinfo");
  expect(lists("exit 2"), CheckState::degraded, "not known: cuobjdump ended with status 2");
}

TEST_F(Doctor, TheTextNamesWhatMendsAndTheDataHasAll) {
  const Checks checks{{"driver", CheckState::ok, "fine"},
                      {"permission", CheckState::missing, "not permitted", "sudo it"}};
  const std::string text = doctor_text(checks, 80);
  EXPECT_NE(text.find("ok        driver"), std::string::npos) << text;
  EXPECT_NE(text.find("mend: sudo it"), std::string::npos) << text;
  EXPECT_NE(text.find("Recording lacks: permission."), std::string::npos) << text;
  const std::string path = "/" + std::string(100, 'x') + "/libcupti.so.13";
  const std::string whole = doctor_text({{"cupti", CheckState::ok, "CUDA 13.0, " + path + " (here)"}}, 80);
  EXPECT_NE(whole.find(" " + path + "\n"), std::string::npos) << whole;
  const auto data = nlohmann::json::parse(doctor_json(checks));
  EXPECT_EQ(data["format"], 1);
  EXPECT_EQ(data["can_record"], false);
  EXPECT_EQ(data["checks"][0]["mend"], nullptr);
  EXPECT_EQ(data["checks"][1]["state"], "missing");
  EXPECT_EQ(data["checks"][1]["mend"], "sudo it");
}

}  // namespace
}  // namespace coalescope::tool
