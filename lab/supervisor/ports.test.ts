import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allocatePorts } from './ports.ts';

let folder: string;
let server: Server | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-ports-'));
});
afterEach(async () => {
  server?.close();
  await rm(folder, { recursive: true });
});

/** A port in use. */
async function used(): Promise<number> {
  server = createServer();
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

async function free(): Promise<number> {
  const port = await used();
  await new Promise((resolve) => server?.close(resolve));
  return port;
}

describe('the port of a lab', () => {
  test('is the preferred one where that is free, and the one of last time before it', async () => {
    const [remembered, preferred] = [await free(), await free()];
    const { ports } = await allocatePorts({ a: { preferred }, b: { remembered, preferred } }, folder);
    expect(ports).toEqual({ a: preferred, b: remembered });
  });

  test('is another one where a server listens on it', async () => {
    const preferred = await used();
    const { ports } = await allocatePorts({ a: { preferred } }, folder);
    expect(ports.a).not.toBe(preferred);
  });

  test('is reserved against every other lab before a server listens on it, until it is released', async () => {
    const preferred = await free();
    const first = await allocatePorts({ a: { preferred } }, folder);
    const second = await allocatePorts({ a: { preferred } }, folder);
    expect(first.ports.a).toBe(preferred);
    expect(second.ports.a).not.toBe(preferred);
    first.release();
    expect((await allocatePorts({ a: { preferred } }, folder)).ports.a).toBe(preferred);
  });
});
