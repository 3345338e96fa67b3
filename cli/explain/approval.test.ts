import { expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { explained, object, server, spec, status } from '../../test/builders/explained.ts';
import { explanationLines } from './render.ts';

test('a host that waits for an approval offers the commands that give it, with its code', async () => {
  const api = server();
  const held = {
    metadata: { finalizers: ['baremetalhost.metal3.io'], annotations: { 'temper/approval': 'erase' } },
    spec: { ...spec, image: { url: 'http://images/a.raw' } },
    status: {
      ...status,
      provisioning: { state: 'available', ID: 'n', rootDeviceHints: { deviceName: '/dev/sda' } },
    },
  };
  await api.put(KINDS.host, 'node-1', object(held));
  const { canDo, waitsFor: message } = await explained(api);
  const [approve, reject] = canDo;
  const code = /--code (\S+)/.exec(approve?.temper ?? '')?.[1] ?? '';
  expect(code).toMatch(/^provision-[0-9a-f]{32}$/);
  expect(approve).toEqual({
    what: 'approve',
    temper: `npx temper approve host node-1 -n metal --code ${code} --reason WHY`,
    kubectl: `kubectl -n metal annotate --overwrite bmh node-1 temper/approval-given='${code} USER WHY'`,
  });
  expect(reject?.what).toBe('reject');
  const lastTransitionTime = '2026-01-01T11:59:00Z';
  const conditions = [{ type: 'StepHeld', status: 'True', reason: 'ApprovalNeeded', message, lastTransitionTime }];
  const api2 = server();
  await api2.put(KINDS.host, 'node-1', object({ ...held, status: { ...held.status, conditions } }));
  const found = await explained(api2);
  const [cause] = found.causes;
  // The first commands work in every installation.
  const answer = (annotation: string) =>
    `kubectl -n metal annotate --overwrite bmh node-1 temper/${annotation}='${code} USER WHY'`;
  expect(cause?.commands).toEqual([
    answer('approval-given'),
    answer('approval-rejected'),
    `npx temper approve host node-1 -n metal --code ${code} --reason WHY`,
    `npx temper reject host node-1 -n metal --code ${code} --reason WHY`,
  ]);
  expect(found.canDo.map(({ what }) => what)).not.toContain('approve');
  expect(found.plan?.end).toMatchObject({ kind: 'waits', isHeld: true });
  expect(explanationLines(found).join('\n')).toContain('held: it stays available');
  expect(message).toMatch(/^waiting for approval provision-/);
  expect(explanationLines(found).filter((line) => line.includes(message))).toEqual([`waits for: ${message}`]);
});
