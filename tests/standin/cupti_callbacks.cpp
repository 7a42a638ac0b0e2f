// The stand-in's libcupti: subscription, callbacks, and the life of the library as a whole.
//
//   1. The library is loaded: it listens to the driver.
//   2. One subscriber; ids and domains are switched on one by one.
//   3. The driver calls: each call whose id is on is told at its ENTER and its EXIT, with a word that is kept
//   between.
//   4. exit(): the vendor's own handler runs. Whoever registered later has run already.

#include <cstdlib>
#include <deque>
#include <set>
#include <unistd.h>
#include <utility>

#include "tests/standin/cupti_parts.h"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc function = nullptr;
  void* user_data = nullptr;
};

namespace standin {
namespace {

const pid_t loaded_in = getpid();
std::atomic<bool> vendor_ended{false};
std::atomic<CUpti_Subscriber_st*> subscriber{nullptr};
std::mutex mutex;
std::set<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>>& ids_on() {
  static auto& ids = *new std::set<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>>;
  return ids;
}
std::set<CUpti_CallbackDomain>& domains_on() {
  static auto& domains = *new std::set<CUpti_CallbackDomain>;
  return domains;
}
thread_local int resource_depth = 0;

bool wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const std::lock_guard lock(mutex);
  return domains_on().contains(domain) || ids_on().contains({domain, id});
}

void tell(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  auto* who = subscriber.load();
  if (who != nullptr && wanted(domain, id)) who->function(who->user_data, domain, id, data);
}

class Cupti final : public Listener {
 public:
  void driver_call(CUpti_CallbackId id, const CUpti_CallbackData& data) override {
    tell(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  }
  void resource(CUpti_CallbackId id, const CUpti_ResourceData& data) override {
    ++resource_depth;
    tell(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
    --resource_depth;
  }
  void kernel_ran(const Run& run) override {
    activity::kernel_ran(run);
    range::kernel_ran(run);
    sass::kernel_ran(run);
  }
  void graph_ran(const std::vector<Run>& nodes) override {
    range::graph_ran(nodes);
    for (const auto& node : nodes) {
      activity::kernel_ran(node);
      sass::kernel_ran(node);
    }
  }
  void copied(const Copy& copy) override { activity::copied(copy); }
  bool migrations_on() override { return activity::migrations_on(); }
  void migrated(const Migration& migration) override { activity::migrated(migration); }
  void code_changed() override { sass::code_changed(); }
  void synchronized(CUctx_st* context) override { activity::synchronized(context); }
  void answered() override { activity::answered(); }
};

__attribute__((constructor)) void listen() {
  device().listener = new Cupti;
}

void end_vendor() {
  if (getpid() != loaded_in) return;  // a child's copy of our locks may be held for ever
  activity::deliver_late();
  sass::check_at_exit();
  vendor_ended = true;
}

}  // namespace

void check_caller(const char* function) {
  // A forked child of a process that uses CUPTI hangs at its first call (see docs/limits.md).
  if (getpid() != loaded_in) violation(std::string(function) + " was called in a forked child");
}

void use_begins() {
  static const bool registered = std::atexit(end_vendor) == 0;
  (void)registered;
}

bool ended() {
  return vendor_ended;
}

bool callbacks::resource_domain_on() {
  const std::lock_guard lock(mutex);
  return subscriber != nullptr && domains_on().contains(CUPTI_CB_DOMAIN_RESOURCE);
}

bool callbacks::inside_resource_callback() {
  return resource_depth > 0;
}

}  // namespace standin

using namespace standin;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* user_data) {
  STANDIN_CALL(cuptiSubscribe);
  use_begins();
  if (subscriber != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  // Kept: a callback may still be under way when its subscriber goes.
  static auto& all = *new std::deque<CUpti_Subscriber_st>;
  const std::lock_guard lock(mutex);
  subscriber = *handle = &all.emplace_back(CUpti_Subscriber_st{function, user_data});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  STANDIN_CALL(cuptiUnsubscribe);
  subscriber = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(std::uint32_t on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  STANDIN_CALL(cuptiEnableCallback);
  if (handle == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::lock_guard lock(mutex);
  if (on != 0)
    ids_on().insert({domain, id});
  else
    ids_on().erase({domain, id});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(std::uint32_t on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
  STANDIN_CALL(cuptiEnableDomain);
  if (handle == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::lock_guard lock(mutex);
  if (on != 0)
    domains_on().insert(domain);
  else
    domains_on().erase(domain);
  return CUPTI_SUCCESS;
}
}
