import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { kubeconfigOf, kubeOf } from '../../test/builders/kube-of.ts';
import { DONE, REFUSED } from '../out.ts';
import { printPlans } from './plan.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const HOST = `apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  name: node-1
spec:
  online: true
  bootMACAddress: 52:54:00:00:00:01
  bmc:
    address: redfish-virtualmedia://10.0.0.7/1
    credentialsName: node-1-bmc
`;

let server: Server;
let folder: string;
beforeEach(async () => {
  // No object exists.
  server = createServer((_, response) => {
    response.writeHead(404).end(JSON.stringify({ kind: 'Status', reason: 'NotFound', details: { name: 'x' } }));
  });
  const kube = await kubeOf(server);
  await kube.close();
  folder = await mkdtemp(join(tmpdir(), 'temper-plan-'));
  await writeFile(join(folder, 'kubeconfig'), kubeconfigOf(server));
  vi.stubEnv('KUBECONFIG', join(folder, 'kubeconfig'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

/** The exit code, and what is printed, for a manifest of these documents. */
async function planned(documents: readonly string[], output: 'text' | 'json' = 'text') {
  const file = join(folder, 'hosts.yaml');
  await writeFile(file, documents.join('---\n'));
  const lines: string[] = [];
  const asides: string[] = [];
  const out = { line: (text: string) => lines.push(text), aside: (text: string) => asides.push(text) };
  const code = await printPlans({ file, namespace: 'metal', deleting: false, output, dir: folder }, out, NOW);
  return { code, lines: lines.join('\n'), asides: asides.map((aside) => aside.replace(file, 'hosts.yaml')) };
}

describe('the exit code of a plan for a manifest', () => {
  test('is 0 when all of it is planned, or belongs to other kinds', async () => {
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: node-1-bmc\n';
    const { code, lines, asides } = await planned([secret, HOST]);
    expect({ code, asides }).toEqual({ code: DONE, asides: [] });
    expect(lines).toContain('BareMetalHost metal/node-1');
  });

  test.each([
    ['is no object of Kubernetes', 'name: x\n', 'which has no apiVersion, kind or metadata.name'],
    ['is no YAML', 'a: [\n', expect.stringMatching(/^which is no YAML: Flow sequence .* line \d+, column \d+$/)],
  ])('is 1 when a document %s, and the others are planned', async (_, document, why: unknown) => {
    for (const output of ['text', 'json'] as const) {
      const { code, lines, asides } = await planned([document, HOST], output);
      expect(code).toBe(REFUSED);
      expect(lines).toContain('metal/node-1');
      const [aside = '', ...more] = asides;
      const [place, said] = [aside.split(', ')[0], aside.slice(aside.indexOf(', ') + 2)];
      expect([place, said, more]).toEqual(['temper: not looked at: document 1 of hosts.yaml', why, []]);
    }
  });
});
