/** `npm run generate` writes all generated files; with `--check` on the command line it only fails when one differs. */
import './generate-crds.ts';
import './generate-shapes.ts';
import './generate-manifests.ts';
import './generate-states.ts';
import './generate-configuration.ts';
import './generate-metrics.ts';
import './generate-troubleshooting.ts';
import './generate-facts.ts';
