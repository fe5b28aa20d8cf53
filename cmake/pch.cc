// A precompiled header needs a target with a source file to belong to (cmake/precompile.cmake).
namespace {}
