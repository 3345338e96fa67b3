import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spec } from '../../deploy/monitoring/monitored.ts';
import { answers } from '../../lab/http/answers.ts';
import type { Service } from '../../lab/service.ts';

/** How long a fault lasts before such an alert fires, instead of the time in its rule. */
export const SOON_S = 5;
const LOOK = '2s';

/** A Prometheus with the alerts of `deploy/monitoring/rules.yaml`, some of which fire after seconds. */
export async function prometheus(
  dir: string,
  {
    port,
    metrics,
    soon,
  }: { readonly port: number; readonly metrics: readonly string[]; readonly soon: readonly string[] },
): Promise<Service> {
  const groups = spec.groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => (soon.includes(rule.alert) ? { ...rule, for: `${SOON_S}s` } : rule)),
  }));
  const config = {
    global: { scrape_interval: LOOK, evaluation_interval: LOOK },
    rule_files: ['rules.json'],
    scrape_configs: [
      {
        job_name: 'temper',
        honor_labels: true,
        static_configs: [{ targets: metrics.map((url) => new URL(url).host) }],
      },
    ],
  };
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'rules.json'), JSON.stringify({ groups }));
  await writeFile(join(dir, 'prometheus.yml'), JSON.stringify(config));
  const address = `127.0.0.1:${port}`;
  return {
    name: 'prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    ready: (signal) => answers(`http://${address}/-/ready`, signal),
  };
}
