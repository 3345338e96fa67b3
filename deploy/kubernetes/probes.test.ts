import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { rendered } from '../../test/builders/rendered.ts';

const get = z.object({ path: z.string(), port: z.literal('healthz') });
const probe = z.strictObject({
  httpGet: get,
  timeoutSeconds: z.number(),
  periodSeconds: z.number().default(10),
  failureThreshold: z.number().default(3),
});
const deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([z.object({ startupProbe: probe, livenessProbe: probe, readinessProbe: probe })]),
      }),
    }),
  }),
});

/** Until a bridge is ready with a quota of 0.1 core, measured on a kubelet. */
const SLOW_START_S = 45;

describe.each(['kubernetes/overlays/cert-manager', 'clusterctl/infrastructure', 'clusterctl/ipam'])(
  'the probes of %s',
  async (folder) => {
    const containers = (await rendered(folder)).flatMap((one) => {
      const { success, data } = deployment.safeParse(one);
      return success ? data.spec.template.spec.containers : [];
    });

    test('give a start four times as long as it took with a tenth of a core', () => {
      const starts = containers.map(({ startupProbe }) => startupProbe.periodSeconds * startupProbe.failureThreshold);
      expect(starts).toHaveLength(2);
      for (const seconds of starts) expect(seconds).toBeGreaterThan(4 * SLOW_START_S);
    });

    test('restart a process that does not answer, and none because of a server that it uses', () => {
      const paths = containers.map((one) => [one.startupProbe, one.livenessProbe, one.readinessProbe]);
      expect(paths.map((each) => each.map(({ httpGet }) => httpGet.path))).toEqual([
        ['/healthz', '/healthz', '/readyz'],
        ['/healthz', '/healthz', '/readyz'],
      ]);
    });
  },
);
