// `garner report`: one page from a JSON log: pauses, what workers did when, and on machines with several nodes bytes, accesses and thefts by node,
// non-locality and imbalance (N27), and the locality matrix as a heat map (T15). With --json a record for each worker and collection. The numbers are log_data.h's, the page log_page.h's.
#include <memory>

#include "command.h"
#include "log_data.h"
#include "log_page.h"
#include "paths.h"
#include "say.h"
#include "strict_json.h"

namespace garner::tool {

Command add_report(CLI::App& root) {
  CLI::App* app = root.add_subcommand("report", "One page from a JSON log: pauses, workers' timeline, nodes, thefts, locality; or a record for each worker and collection");
  auto log = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>("garner-report.html");
  app->add_option("LOG", *log, "A log written with log=FILE,log_format=json, or by 'garner simulate --log'")->required()->option_text("LOG");
  auto json = std::make_shared<bool>(false);
  CLI::Option* page = app->add_option("-o,--output", *out, "The page; with --json one is made when this is given")->type_name("FILE")->capture_default_str();
  app->add_flag("--json", *json, "Print one record for each worker and collection, what it did in all phases: a JSON object a line");
  return {app, [log, out, json, page](const Invocation&) {
            const LogData data = read_log(*log);
            const bool draws = !*json || page->count() != 0;
            if (draws) write_file(*out, draw_log(data));
            if (*json) each_worker(data, [](const std::string& line) { std::fputs((line + "\n").c_str(), stdout); });
            if (const std::string damage = damage_of(data); !damage.empty()) say_err("garner: {}: {}; {} the rest\n", printable(*log), damage, draws ? "the page shows" : "the records are of");
            return 0;
          }};
}

} // namespace garner::tool
