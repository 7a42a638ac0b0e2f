// A plugin for clang-tidy: its checks see what stands in files of ours, and not the thousands of declarations
// that the headers of the system bring, which would take half of the time and of which nothing is shown.
// scripts/tidy compiles it.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <memory>
#include <string>
#include <vector>

namespace {

class OwnCode : public clang::ASTConsumer {
  void HandleTranslationUnit(clang::ASTContext& context) override {
    const auto& sources = context.getSourceManager();
    std::vector<clang::Decl*> own;
    for (clang::Decl* each : context.getTranslationUnitDecl()->decls())
      if (!sources.isInSystemHeader(sources.getExpansionLoc(each->getLocation()))) own.push_back(each);
    context.setTraversalScope(own);
  }
};

class Action : public clang::PluginASTAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<OwnCode>();
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<Action> kOwnCode("own-code", "checks our own code only");

}  // namespace
