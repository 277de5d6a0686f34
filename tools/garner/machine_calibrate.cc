#include "machine_calibrate.h"
namespace garner::tool {
void add_machine_calibrate(CLI::App&, std::shared_ptr<std::function<int()>>) {}
}
