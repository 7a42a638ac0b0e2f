#pragma once
// What the player does: a function for each verb of a script. Those about memory are in player_memory.cpp,
// those about graphs in player_graphs.cpp.

#include <atomic>
#include <cuda.h>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/standin/script.h"

namespace standin {

// Where a thread of the script stands.
struct Place {
  CUcontext context = nullptr;
  std::string stream;  // empty: the default stream
};

class Player {
 public:
  explicit Player(std::vector<Statement> script);
  void play();

 private:
  void run(const std::vector<Statement>& statements, Place& place);
  void step(const Statement& statement, Place& place);
  bool went_well(const std::string& what, CUresult code);
  void need_context(Place& place);
  void open_context(const std::string& name, int device, Place& place);
  const char* image_of(const std::string& name);
  void load_module(const std::string& name, CUcontext context);
  CUfunction function(const std::string& kernel, CUcontext context);
  CUstream stream(const std::string& name, CUcontext context);
  CUstream stream_of(const Statement& statement, const Place& place);
  void launch(const Statement& statement, Place& place);
  void threads(const Statement& statement, Place& place);
  void repeat(const Statement& statement, Place& place);
  void stream_capture(const Statement& statement, Place& place);
  void end_capture(const Statement&, Place& place);
  void update(const Statement& statement, Place&);
  void resize(const Statement& statement, Place&);
  void graph(const Statement& statement, Place& place);
  void destroy_graph(const Statement& statement, Place&);
  void new_context(const Statement& statement, Place& place);
  void use(const Statement& statement, Place& place);
  void destroy(const Statement& statement, Place&);
  void load(const Statement& statement, Place& place);
  void unload(const Statement& statement, Place& place);
  void copy(const Statement& statement, Place& place);
  void set_memory(const Statement& statement, Place& place);
  void migrate(const Statement& statement, Place& place);
  void answer(const Statement&, Place&);
  void sync(const Statement&, Place& place);
  void sleep(const Statement& statement, Place&);
  void cancelled(const Statement& statement, Place& place);
  void at_exit(const Statement& statement, Place& place);
  void range(const Statement& statement, Place& place);
  void fork_child(const Statement& statement, Place& place);
  void end(const Statement& statement, Place&);
  void profile(const Statement& statement, Place& place);
  void time(const Statement& statement, Place& place);
  void memory(const Statement& statement, Place&);
  void allocate(const Statement& statement, Place& place);
  void pin(const Statement& statement, Place& place);
  void files(const Statement& statement, Place& place);
  void limit(const Statement& statement, Place&);
  void kill(const Statement& statement, Place&);
  void set(const Statement& statement, Place&);
  void records(const Statement& statement, Place&);

  const std::vector<Statement> script_;
  std::map<std::string, std::string> modules_;  // their code
  std::mutex mutex_;
  std::map<std::string, CUcontext> contexts_;
  std::map<std::pair<CUcontext, std::string>, CUmodule> loaded_;
  std::map<std::pair<CUcontext, std::string>, CUstream> streams_;
  std::map<std::string, CUgraphExec> graphs_;
  std::map<std::string, CUgraph> stream_captured_;
  std::atomic<long> refused_{0};
};

}  // namespace standin
