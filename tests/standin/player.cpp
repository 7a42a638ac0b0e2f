// The target: reads the script that STANDIN_SCRIPT names and does what it says through the driver, as a
// program would. It knows nothing of coalescope. What it prints and how it ends must be the same with and
// without.

#include "tests/standin/player.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/standin/player_calls.h"
#include "tests/standin/player_process.h"

namespace standin {

Player::Player(std::vector<Statement> script) : script_(std::move(script)) {
  for (const auto& statement : script_) {
    if (statement.verb == "kernel") {
      if (!modules_.contains("main")) modules_["main"] = standin::kBuiltIn;
      modules_["main"] += statement.text;
    }
    if (statement.verb == "module") {
      modules_[statement.word(0)] = statement.has("lazy") ? "# lazy\n" : "";
      for (const auto& kernel : statement.body) modules_[statement.word(0)] += kernel.text;
    }
  }
}

void Player::play() {
  Place place;
  run(script_, place);
  std::printf("done, %ld calls refused\n", refused_.load());
}

void Player::run(const std::vector<Statement>& statements, Place& place) {
  for (const auto& statement : statements) step(statement, place);
}

void Player::step(const Statement& statement, Place& place) {
  using Do = void (Player::*)(const Statement&, Place&);
  // Not destroyed, because threads may be left.
  static const auto& kVerbs = *new std::map<std::string, Do>{
      {"launch", &Player::launch},
      {"threads", &Player::threads},
      {"repeat", &Player::repeat},
      {"stream_capture", &Player::stream_capture},
      {"end_capture", &Player::end_capture},
      {"cancelled", &Player::cancelled},
      {"at_exit", &Player::at_exit},
      {"range", &Player::range},
      {"graph", &Player::graph},
      {"destroy_graph", &Player::destroy_graph},
      {"update", &Player::update},
      {"resize", &Player::resize},
      {"context", &Player::new_context},
      {"use", &Player::use},
      {"destroy", &Player::destroy},
      {"load", &Player::load},
      {"unload", &Player::unload},
      {"copy", &Player::copy},
      {"set_memory", &Player::set_memory},
      {"migrate", &Player::migrate},
      {"sync", &Player::sync},
      {"answer", &Player::answer},
      {"sleep", &Player::sleep},
      {"fork", &Player::fork_child},
      {"exit", &Player::end},
      {"records", &Player::records},
      {"profile", &Player::profile},
      {"files", &Player::files},
      {"files_beside", &Player::files},
      {"limit", &Player::limit},
      {"kill", &Player::kill},
      {"set", &Player::set},
      {"time", &Player::time},
      {"memory", &Player::memory},
      {"allocate", &Player::allocate},
      {"pin", &Player::pin},
  };
  // Declarations, and orders to the libraries, are nothing to do.
  static const auto& kOthers =
      *new std::vector<std::string>{"kernel", "module", "fail", "missing", "slow", "stall"};
  if (const auto found = kVerbs.find(statement.verb); found != kVerbs.end())
    (this->*found->second)(statement, place);
  else if (std::find(kOthers.begin(), kOthers.end(), statement.verb) == kOthers.end())
    throw std::runtime_error("script: unknown verb '" + statement.verb + "'");
}

bool Player::went_well(const std::string& what, CUresult code) {
  if (code == CUDA_SUCCESS) return true;
  ++refused_;
  std::printf("%s: CUDA error %d\n", what.c_str(), static_cast<int>(code));
  return false;
}

// CUDA begins where a program first uses it.
void Player::need_context(Place& place) {
  if (place.context != nullptr) return;
  went_well("cuInit", cuInit(0));
  open_context("first", 0, place);
}

void Player::open_context(const std::string& name, int device, Place& place) {
  if (!went_well("cuCtxCreate", cuCtxCreate(&place.context, nullptr, 0, device))) return;
  const std::lock_guard lock(mutex_);
  contexts_[name] = place.context;
  if (modules_.contains("main")) load_module("main", place.context);
}

// The program's own code is a part of its file, as far as it fits.
const char* Player::image_of(const std::string& name) {
  static std::array<char, 65'536> own{};
  const std::string& code = modules_.at(name);
  if (name != "main" || code.size() >= own.size()) return code.c_str();
  if (own.front() == '\0') std::ranges::copy(code, own.begin());
  return own.data();
}

void Player::load_module(const std::string& name, CUcontext context) {
  went_well("cuModuleLoadData", cuModuleLoadData(&loaded_[{context, name}], image_of(name)));
}

CUfunction Player::function(const std::string& kernel, CUcontext context) {
  const std::lock_guard lock(mutex_);
  CUfunction found = nullptr;
  for (const auto& [key, module] : loaded_)
    if (key.first == context && cuModuleGetFunction(&found, module, kernel.c_str()) == CUDA_SUCCESS) break;
  return found;
}

CUstream Player::stream(const std::string& name, CUcontext context) {
  if (name.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  auto& known = streams_[{context, name}];
  if (known == nullptr) went_well("cuStreamCreate", cuStreamCreate(&known, 0));
  return known;
}

CUstream Player::stream_of(const Statement& statement, const Place& place) {
  return stream(statement.option("stream", place.stream), place.context);
}

void Player::launch(const Statement& statement, Place& place) {
  need_context(place);
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(statement.number("grid", 1));
  config.blockDimX = static_cast<unsigned>(statement.number("block", 32));
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = static_cast<unsigned>(statement.number("shared", 0));
  config.hStream = stream_of(statement, place);
  std::int64_t parameter = statement.number("parameter", 1);
  // What lies behind the last parameter may be anything.
  auto* const behind = reinterpret_cast<void*>(std::uintptr_t{0xa1});
  void* parameters[] = {statement.has("no_parameters") ? behind : &parameter};
  const bool growing = statement.has("growing");  // each launch is a group of its own
  const auto kernel = statement.word(0);
  auto* const f = function(kernel, place.context);
  if (f == nullptr) return (void)went_well("cuModuleGetFunction " + kernel, CUDA_ERROR_NOT_FOUND);
  const auto call = [&](const std::string& how) {
    const auto& c = config;
    if (how == "per_thread")
      return cuLaunchKernel_ptsz(f, c.gridDimX, 1, 1, c.blockDimX, 1, 1, c.sharedMemBytes, c.hStream,
                                 parameters, nullptr);
    if (how == "cooperative")
      return cuLaunchCooperativeKernel(f, c.gridDimX, 1, 1, c.blockDimX, 1, 1, c.sharedMemBytes, c.hStream,
                                       parameters);
    if (how == "plain")
      return cuLaunchKernel(f, c.gridDimX, 1, 1, c.blockDimX, 1, 1, c.sharedMemBytes, c.hStream, parameters,
                            nullptr);
    config.attrs = &cooperative;
    config.numAttrs = how == "ex_cooperative" ? 1 : 0;
    return cuLaunchKernelEx(&config, f, parameters, nullptr);
  };
  for (auto i = statement.number("times", 1); i > 0; --i) {
    config.gridDimX += growing ? 1 : 0;
    standin_next_launch(static_cast<int>(statement.number("error", 0)),
                        statement.has("waits")        ? standin::Lasts::until_answered
                        : statement.has("unfinished") ? standin::Lasts::until_waited_for
                                                      : standin::Lasts::no);
    went_well("launch " + kernel, call(statement.option("how", "plain")));
  }
}

void Player::threads(const Statement& statement, Place& place) {
  need_context(place);
  std::vector<std::thread> started;
  for (int n = std::stoi(statement.word(0)); n > 0; --n)
    started.emplace_back([this, &statement, place, n] {
      Place own{place.context, "own " + std::to_string(n)};
      cuCtxSetCurrent(own.context);
      run(statement.body, own);
    });
  if (statement.has("left")) {  // they go on while the program ends
    for (auto& thread : started) thread.detach();
    return;
  }
  for (auto& thread : started) thread.join();
}

void Player::repeat(const Statement& statement, Place& place) {
  for (int n = std::stoi(statement.word(0)); n > 0; --n) run(statement.body, place);
}

void Player::new_context(const Statement& statement, Place& place) {
  need_context(place);
  open_context(statement.word(0), static_cast<int>(statement.number("device", 0)), place);
}

void Player::use(const Statement& statement, Place& place) {
  place.context = contexts_.at(statement.word(0));
  went_well("cuCtxSetCurrent", cuCtxSetCurrent(place.context));
}

void Player::destroy(const Statement& statement, Place&) {
  went_well("cuCtxDestroy", cuCtxDestroy(contexts_.at(statement.word(0))));
}

void Player::load(const Statement& statement, Place& place) {
  need_context(place);
  const std::lock_guard lock(mutex_);
  load_module(statement.word(0), place.context);
}

void Player::unload(const Statement& statement, Place& place) {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find({place.context, statement.word(0)});
  went_well("cuModuleUnload", cuModuleUnload(found->second));
  loaded_.erase(found);
}

void Player::answer(const Statement&, Place&) {
  standin_answer();
}

void Player::sync(const Statement&, Place& place) {
  need_context(place);
  went_well("cuCtxSynchronize", cuCtxSynchronize());
}

void Player::sleep(const Statement& statement, Place&) {
  std::this_thread::sleep_for(std::chrono::milliseconds(statement.number("ms", 1)));
}

// A thread that ends at the first cancellation point after it has begun, at the latest after its body.
void Player::cancelled(const Statement& statement, Place& place) {
  need_context(place);
  std::thread([this, &statement, place] {
    Place own{place.context, "cancelled"};
    cuCtxSetCurrent(own.context);
    pthread_cancel(pthread_self());
    run(statement.body, own);
    pthread_testcancel();
  }).join();
}

// After what was recorded has come to its end.
void Player::at_exit(const Statement& statement, Place& place) {
  static auto& handlers = *new std::vector<std::function<void()>>;
  handlers.emplace_back([this, &statement, place]() mutable { run(statement.body, place); });
  std::atexit([] {
    const auto handler = std::exchange(handlers.back(), {});
    handlers.pop_back();
    handler();
  });
}

// An NVTX range of that name.
void Player::range(const Statement& statement, Place& place) {
  nvtxRangePushA(statement.word(0).c_str());
  run(statement.body, place);
  nvtxRangePop();
}

void Player::fork_child(const Statement& statement, Place& place) {
  std::fflush(stdout);
  mutex_.lock();  // so that no other thread holds it in the child
  const pid_t child = fork();
  mutex_.unlock();
  if (child == 0) {
    run(statement.body, place);
    std::fflush(stdout);
    if (statement.has("exits")) std::exit(0);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("the child ended with %d\n", status);
}

void Player::end(const Statement& statement, Place&) {
  std::fflush(stdout);
  const auto how = statement.word(0);
  const int status = static_cast<int>(statement.number("status", 0));
  if (how == "_exit") _exit(status);
  if (how == "abort") std::abort();
  if (how == "kill") ::kill(getpid(), SIGKILL);
  std::exit(status);
}

// The body, under a profiler of the program's own.
void Player::profile(const Statement& statement, Place& place) {
  void* const library = dlopen("libprofiler.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  reinterpret_cast<void (*)()>(dlsym(library, "profiler_start"))();
  run(statement.body, place);
  reinterpret_cast<void (*)()>(dlsym(library, "profiler_stop"))();
}

// The body, between two events of which the time is asked, again and again.
void Player::time(const Statement& statement, Place& place) {
  need_context(place);
  CUevent start = nullptr;
  CUevent end = nullptr;
  went_well("cuEventCreate", cuEventCreate(&start, 0));
  went_well("cuEventCreate", cuEventCreate(&end, 0));
  auto* const target = stream(place.stream, place.context);
  for (auto i = statement.number("times", 1); i > 0; --i) {
    float milliseconds = 0;
    went_well("cuEventRecord", cuEventRecord(start, target));
    run(statement.body, place);
    went_well("cuEventRecord", cuEventRecord(end, target));
    went_well("cuEventElapsedTime", cuEventElapsedTime(&milliseconds, start, end));
  }
}

void Player::files(const Statement& statement, Place& place) {
  std::puts(standin::guard_files(statement, [&] { run(statement.body, place); }).c_str());
}

void Player::limit(const Statement& statement, Place&) {
  standin::limit(statement);
}

void Player::kill(const Statement& statement, Place&) {
  standin::kill_sibling(statement.word(0));
}

void Player::set(const Statement& statement, Place&) {
  standin::set_variables(statement);
}

void Player::records(const Statement& statement, Place&) {
  standin_records(statement.number("drop", 0), statement.has("hold") ? 1 : 0);
}

}  // namespace standin

int main() {
  const char* path = std::getenv("STANDIN_SCRIPT");
  if (path == nullptr) return 2;
  try {
    // Never destroyed, because threads may be left; static, so that it is no leak.
    static auto* const player = new standin::Player(standin::read_script(path));
    player->play();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "player: %s\n", error.what());
    return 3;
  }
  return 0;
}
