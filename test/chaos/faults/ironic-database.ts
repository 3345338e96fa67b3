import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDatabase } from '../../../lab/ironic/database.ts';
import { ensureVenv } from '../../../lab/ironic/venv.ts';
import type { TestLab } from '../../e2e/support/lab.ts';
import { askIronic } from '../../e2e/support/metal.ts';
import { type HostNow, objectsNow } from '../ends/objects.ts';
import { type NodeNow, nodesNow } from '../ironic-nodes.ts';
import { type Battered, type Fault, lasting, meanwhile, whileEnded } from './fault.ts';
import { copyDatabase, removeDatabase, type Sqlite } from './sqlite.ts';

const databaseOf = ({ dir }: Battered): Sqlite => ({ folder: join(dir, 'ironic'), file: 'ironic.sqlite' });

const WITH_IMAGE: readonly string[] = ['provisioned', 'externally provisioned'];
/** States of a node that a host with an image needs, or from which it is registered or adopted again. */
const PUT_RIGHT: readonly string[] = ['active', 'manageable', 'available', 'clean failed', 'inspect failed', 'enroll'];
const WITHOUT_IMAGE: readonly string[] = ['available', 'ready'];
const FREE: readonly string[] = ['available', 'manageable'];
/** States of a host that goes on from whatever its node is. */
const AT_WORK: readonly string[] = ['provisioning', 'deprovisioning', 'deleting', 'powering off before delete'];

/**
 * Why people delete a node of a restored Ironic, by docs/operations/backup-and-restore.md; undefined: it stays.
 * `hosts`: those that may have this node in their status.
 */
export function reasonToDelete(node: NodeNow, hosts: readonly HostNow[]): string | undefined {
  const host = hosts.find(({ status }) => status.provisioning.ID === node.id);
  if (host === undefined) return 'no host has it';
  const { state } = host.status.provisioning;
  if (WITH_IMAGE.includes(state)) {
    return PUT_RIGHT.includes(node.state) ? undefined : 'it was in the midst of an operation';
  }
  if (AT_WORK.includes(state)) return undefined;
  if (node.state === 'active') return 'its host has no image any more';
  const isDone = WITHOUT_IMAGE.includes(state) && !FREE.includes(node.state);
  return isDone ? 'it was in the midst of an operation' : undefined;
}

/** An API server that was just started, or a node that is locked, refuses at first. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 60) throw error;
      await lasting(500);
    }
  }
}

/** Deletes the nodes that are not put right by themselves; returns those that stay, and what was deleted. */
async function compareAndDelete(
  lab: TestLab,
): Promise<{ readonly nodes: readonly NodeNow[]; readonly deleted: readonly string[] }> {
  const { hosts } = await insist(() => objectsNow(lab));
  const nodes = await insist(() => nodesNow(lab));
  const deleted: string[] = [];
  for (const node of nodes) {
    const reason = reasonToDelete(node, hosts);
    if (reason === undefined) continue;
    await insist(() => askIronic(lab, 'PUT', `nodes/${node.id}/maintenance`, { reason }));
    await insist(() => askIronic(lab, 'DELETE', `nodes/${node.id}`));
    deleted.push(`${node.host}, ${node.state}: ${reason}`);
  }
  return { nodes: await insist(() => nodesNow(lab)), deleted };
}

/**
 * Bridge and workers do not reach Ironic until people have compared its nodes with the hosts, because what is given to
 * a host meanwhile would be taken for what Ironic remembers.
 */
const putBack = (ironic: TestLab): Fault => ({
  name: "put an earlier copy of Ironic's database back",
  async do(lab, random) {
    const copy = join(lab.dir, 'copy-of-ironic');
    const between = meanwhile(random, lab);
    let from = 0;
    await whileEnded(lab, ['ironic'], async () => {
      from = Date.now();
      await copyDatabase(databaseOf(lab), copy);
    });
    await lasting(between);
    const link = lab.links.get('ironic');
    link?.cut();
    await whileEnded(lab, ['ironic'], async () => {
      await removeDatabase(databaseOf(lab));
      await cp(copy, databaseOf(lab).folder, { recursive: true });
    });
    const { nodes, deleted } = await compareAndDelete(ironic);
    lab.journal.note({ kind: 'ironic put back', from, nodes });
    link?.mend();
    await rm(copy, { recursive: true });
    return [`${between} ms old, ${nodes.length} nodes stay`, ...deleted.map((node) => `deleted ${node}`)].join('; ');
  },
});

const lost: Fault = {
  name: "lose Ironic's database",
  async do(lab) {
    await whileEnded(lab, ['ironic'], async () => {
      const { folder, file } = databaseOf(lab);
      await removeDatabase({ folder, file });
      await ensureDatabase(await ensureVenv(), join(folder, file), () => undefined);
      lab.journal.note({ kind: 'ironic put back', from: 0, nodes: [] });
    });
    return '';
  },
};

export const ironicDatabaseFaults = (lab: TestLab): readonly Fault[] => [putBack(lab), lost];
