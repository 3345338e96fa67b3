import type { Diagnosis } from './diagnosis.ts';
import { BMC } from './rows/bmc.ts';
import { CLUSTER } from './rows/cluster.ts';
import { DATA } from './rows/data.ts';
import { DELETING } from './rows/deleting.ts';
import { HELD } from './rows/held.ts';
import { IMAGE } from './rows/image.ts';
import { IRONIC } from './rows/ironic.ts';
import { MACHINE, OTHERWISE } from './rows/machine.ts';
import { NODE } from './rows/node.ts';
import { PAUSED_RUNS } from './rows/paused-run.ts';
import { SERVER } from './rows/server.ts';
import { FALLBACK, IGNORED, TEMPER } from './rows/temper.ts';
import { TEMPORAL } from './rows/temporal.ts';

/** A part of the table, with its title in the documents. */
export const PARTS: readonly { readonly title: string; readonly rows: readonly Diagnosis[] }[] = [
  { title: 'Temporal', rows: TEMPORAL },
  { title: 'Objects that are being deleted', rows: DELETING },
  { title: 'Clusters', rows: CLUSTER },
  { title: 'Held back on purpose', rows: [...PAUSED_RUNS, ...HELD] },
  { title: "Temper's own parts", rows: TEMPER },
  { title: 'BMCs', rows: BMC },
  { title: 'Images', rows: IMAGE },
  { title: 'Ironic', rows: IRONIC },
  { title: 'Servers, disks, deploy agents', rows: SERVER },
  { title: 'Data of machines and deployments', rows: DATA },
  { title: 'Machines without a host', rows: MACHINE },
  { title: 'Nodes and workload clusters', rows: NODE },
  { title: 'When nothing else is known', rows: FALLBACK },
  { title: 'Accepted, and not as it was wanted', rows: [...IGNORED, ...OTHERWISE] },
];

/** All rows; where two read the same words, the first decides. */
export const DIAGNOSES: readonly Diagnosis[] = PARTS.flatMap(({ rows }) => rows);
