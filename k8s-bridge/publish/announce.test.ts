import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Kube, KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { createAnnounce } from './announce.ts';

/** Writes an Event to an API server that answers with this error. */
function announced(error: unknown, lines: object[] = []): Promise<boolean> {
  const kube = { request: () => Promise.reject(error) } as unknown as Kube;
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as object) });
  const announce = createAnnounce({ kube, log, now: () => 0 });
  return announce({
    binding: { followed: KINDS.host, reporterOf: () => ({ component: 'temper', controller: 'temper' }) },
    object: { namespace: 'metal', name: 'node-1', uid: 'uid-1' },
    run: 'run-1',
    event: { id: '1', type: 'Normal', reason: 'Registered', message: 'Registered new host' },
  });
}
const answer = (status: number, message = ''): KubeError => new KubeError('POST /events', status, { message });

test.each([401, 408, 409, 429, 500, 503])('an Event that is answered with %i is written again', async (status) => {
  await expect(announced(answer(status))).rejects.toMatchObject({ status });
});

test.each([
  [403, 'because it is being terminated'],
  [422, 'is invalid'],
])('an Event that is refused with %i stops nothing', async (status, message) => {
  const lines: object[] = [];
  expect(await announced(answer(status, message), lines)).toBe(true);
  expect(lines).toMatchObject([{ object: 'metal/node-1', objectUid: 'uid-1', firstRunId: 'run-1' }]);
});

test('an Event that exists already is not new', async () => {
  expect(await announced(new KubeError('POST /events', 409, { reason: 'AlreadyExists' }))).toBe(false);
});
