import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { WebSocket } from 'undici';
import { z } from 'zod';
import { isInstalled } from '../../builders/program.ts';
import { type Call, type Page, pageOf } from './page.ts';

/** Debian's Chromium without a window, driven by its DevTools protocol. */
const CHROMIUM = process.env['TEMPER_CHROMIUM'] ?? 'chromium';

/** A page answers each command at once, or never. */
const ANSWER_MS = 120_000;

export interface Browser {
  open(url: string): Promise<Page>;
  close(): Promise<void>;
}

export const hasBrowser = (): Promise<boolean> =>
  isInstalled(CHROMIUM, 'chromium; TEMPER_CHROMIUM names another one', 'what a browser shows');

const reply = z.looseObject({
  id: z.number().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.unknown().optional(),
});
const target = z.object({ webSocketDebuggerUrl: z.string() });

/** `trusted`: certificates (PEM) whose keys are trusted, although no authority of the system has issued them. */
export async function startBrowser(trusted: readonly string[] = []): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'temper-browser-'));
  const chromium = execa(
    CHROMIUM,
    [
      '--headless=new',
      // The sandbox is off, because containers often forbid it; the only page is that of the lab.
      '--no-sandbox',
      '--disable-gpu',
      '--hide-scrollbars',
      '--window-size=1500,1000',
      `--ignore-certificate-errors-spki-list=${trusted.map(keyDigest).join(',')}`,
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
    ],
    { stdin: 'ignore', stdout: 'ignore', buffer: false, reject: false },
  );
  const port = await portOf(chromium.stderr);
  const sockets: WebSocket[] = [];
  return {
    async open(url) {
      const answer = await fetch(`http://127.0.0.1:${port}/json/new?${encodeURIComponent(url)}`, { method: 'PUT' });
      const socket = new WebSocket(target.parse(await answer.json()).webSocketDebuggerUrl);
      sockets.push(socket);
      return pageOf(await callerOf(socket));
    },
    async close() {
      for (const socket of sockets) socket.close();
      chromium.kill();
      await chromium;
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

const keyDigest = (pem: string): string =>
  createHash('sha256')
    .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

async function portOf(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const port = /^DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`${CHROMIUM} has ended before it listened`);
}

async function callerOf(socket: WebSocket): Promise<Call> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, result, error } = reply.parse(JSON.parse(String(data)));
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(JSON.stringify(error)));
    waiting.delete(id);
  });
  const opened = Promise.withResolvers<void>();
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => opened.reject(new Error('the page takes no commands')));
  await opened.promise;
  return (method, params) => {
    last += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(last, answer);
    const silent = (): void => answer.reject(new Error(`${method} was not answered: ${JSON.stringify(params)}`));
    const timer = setTimeout(silent, ANSWER_MS);
    socket.send(JSON.stringify({ id: last, method, params }));
    return answer.promise.finally(() => clearTimeout(timer));
  };
}
