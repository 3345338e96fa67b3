import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bridgeConfig, readConfig, workersConfig } from '../../platform/config/config.ts';
import { proxyFor } from '../../platform/proxies.ts';
import { temporalProxy } from '../../platform/temporal/access/proxy.ts';
import { rendered, renderedWith } from '../../test/builders/rendered.ts';

const settings = z.object({ kind: z.literal('ConfigMap'), data: z.record(z.string(), z.string()) });
const policy = z.object({
  kind: z.literal('NetworkPolicy'),
  spec: z.object({
    podSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    egress: z.array(z.strictObject({ ports: z.array(z.object({ port: z.number() })) })).default([]),
  }),
});
const all = <Schema extends z.ZodType>(objects: readonly unknown[], schema: Schema): z.infer<Schema>[] =>
  objects.flatMap((one) => {
    const read = schema.safeParse(one);
    return read.success ? [read.data] : [];
  });

const [without, objects] = await Promise.all([
  rendered('kubernetes/overlays/cert-manager'),
  renderedWith('cert-manager', 'proxy'),
]);
const given = all(objects, settings)[0]?.data ?? {};
const config = readConfig(bridgeConfig, given);

describe('the component proxy', () => {
  test('has settings that both processes accept, and gRPC too', () => {
    expect([config.HTTP_PROXY, config.HTTPS_PROXY].map((proxy) => proxy !== undefined)).toEqual([true, true]);
    expect(() => readConfig(workersConfig, given)).not.toThrow();
    expect(temporalProxy('temporal.example:7233', config)).toBeDefined();
  });

  test('lets bridge and workers connect to the port of the proxies, besides those of the base', () => {
    const portsIn = (those: readonly unknown[]) =>
      all(those, policy).flatMap(({ spec }) => spec.egress.flatMap(({ ports }) => ports.map(({ port }) => port)));
    const before = portsIn(without);
    const added = portsIn(objects).filter((port) => !before.includes(port));
    const proxies = [config.HTTP_PROXY, config.HTTPS_PROXY].map((proxy) => Number(new URL(proxy ?? '').port));
    expect(new Set(added)).toEqual(new Set(proxies));
    const own = all(objects, policy).filter(({ spec }) => spec.egress.some(({ ports }) => ports[0]?.port === added[0]));
    expect(own.map(({ spec }) => spec.podSelector.matchLabels)).toEqual([{ 'app.kubernetes.io/name': 'temper' }]);
  });

  test('leaves all servers inside alone that the base names, and the API server at the address of its Service', () => {
    const inside = ['https://10.96.0.1:443', `https://${config.TEMPORAL_ADDRESS}`, config.IRONIC_ENDPOINT ?? ''];
    expect(inside.map((server) => proxyFor(server, config))).toEqual([undefined, undefined, undefined]);
    expect(proxyFor('https://api.workload.example:6443', config)).toBe(config.HTTPS_PROXY);
  });
});
