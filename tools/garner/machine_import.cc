#include "machine_import.h"
namespace garner::tool {
void add_machine_import(CLI::App&, std::shared_ptr<std::function<int()>>) {}
}
