import { expect, test } from 'vitest';
import { createLog } from './log.ts';

const PLAIN = { LOG_LEVEL: 'info', DEV_LOGGING: false } as const;

function logged(fields: object, settings: Parameters<typeof createLog>[1] = PLAIN): string {
  const lines: string[] = [];
  const log = createLog('test', settings, { destination: { write: (line) => void lines.push(line) } });
  log.debug('in detail');
  log.info(fields, 'said');
  return lines.join('');
}

test('a log shows no value whose name says that it is secret, at any depth', () => {
  const line = logged({
    password: 'CANARY',
    a: { b: [{ driver_info: { redfish_password: 'CANARY' } }] },
    headers: { Authorization: 'Basic CANARY' },
    userData: 'CANARY',
    user_data: 'CANARY',
    agent_token: 'CANARY',
    secret: { any: 'CANARY' },
    credentials: ['CANARY'],
    kubeconfig: 'CANARY',
    key: 'CANARY',
    users: [{ 'client-key-data': 'CANARY', client_key: 'CANARY', apiKey: 'CANARY' }],
  });
  expect(line).not.toContain('CANARY');
  expect(line).toContain('"redfish_password":"***"');
});

test('a log shows the rest as it is, errors with their message', () => {
  const line = JSON.parse(logged({ host: 'metal/node-1', err: new Error('no route'), n: [1, null] })) as object;
  expect(line).toMatchObject({ host: 'metal/node-1', err: { message: 'no route' }, n: [1, null], msg: 'said' });
});

test('a log for developers has details, and readable times', () => {
  expect(logged({})).not.toContain('in detail');
  const lines = logged({}, { LOG_LEVEL: 'info', DEV_LOGGING: true });
  expect(lines).toContain('in detail');
  expect(lines).toMatch(/"time":"\d{4}-\d{2}-\d{2}T/);
});

const inThisFile: unknown = expect.stringContaining('log.test.ts');

/** As HTTP clients throw them. */
function anError(): Error {
  const error = new TypeError('could not read http://me:CANARY@images/a?CANARY', {
    cause: Object.assign(new Error('the cause http://CANARY@images/b'), {
      config: { headers: { authorization: 'CANARY' } },
    }),
  });
  return Object.assign(error, { code: 'EACCES', password: 'CANARY', request: { kubeconfig: 'CANARY', method: 'GET' } });
}

test.each(['err', 'error', 'failure'])(
  'a log shows an error under "%s" with type, stack and causes, without secrets',
  (name) => {
    const line = logged({ [name]: anError() });
    expect(line).not.toContain('CANARY');
    expect((JSON.parse(line) as Record<string, unknown>)[name]).toEqual({
      type: 'TypeError',
      message: 'could not read http://***@images/a?***',
      stack: inThisFile,
      code: 'EACCES',
      password: '***',
      request: { kubeconfig: '***', method: 'GET' },
      cause: {
        type: 'Error',
        message: 'the cause http://***@images/b',
        stack: inThisFile,
        config: { headers: { authorization: '***' } },
      },
    });
  },
);

test('a log shows errors in errors, of which some are their own cause', () => {
  const circle: Error & { cause?: unknown } = new Error('round');
  circle.cause = circle;
  const line = logged({ a: { b: [new AggregateError([new Error('one'), circle], 'many')] } });
  expect(JSON.parse(line)).toMatchObject({
    a: { b: [{ message: 'many', errors: [{ message: 'one' }, { message: 'round' }] }] },
  });
});

test('a log shows no secret of a URL, in a field or in the message', () => {
  const lines: string[] = [];
  const log = createLog('test', PLAIN, { destination: { write: (line) => void lines.push(line) } });
  log.info({ url: 'https://images/a?sig=CANARY', at: new Date(0) }, 'read http://me:CANARY@images/a');
  log.info('read http://me:CANARY@images/a');
  log.error(new Error('no http://me:CANARY@images/a'));
  expect(lines.join('')).not.toContain('CANARY');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ at: '1970-01-01T00:00:00.000Z', msg: 'read http://***@images/a' });
});

test('a log shows the beginning of objects that lead to many others, and in circles', { timeout: 20_000 }, () => {
  const all: object[] = Array.from({ length: 40 }, () => ({}));
  for (const each of all) Object.assign(each, all, { password: 'CANARY' });
  const errors: Error[] = [];
  for (const _ of all) errors.push(new AggregateError([...errors], 'many'));
  const line = logged({ err: Object.assign(new Error('reset'), { all }), sockets: all, errors });
  expect(JSON.parse(line)).toMatchObject({ err: { message: 'reset', all: expect.any(Array) as unknown } });
  expect(line).not.toContain('CANARY');
  expect(line.length).toBeLessThan(1_000_000);
});

test('a log is written although a field of an object throws', () => {
  const odd = {
    toJSON() {
      throw new Error('no');
    },
  };
  expect(JSON.parse(logged({ odd, host: 'a' }))).toMatchObject({ odd: '…', host: 'a' });
});
