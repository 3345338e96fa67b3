import { expect, test } from 'vitest';
import { createLog } from './log.ts';

const PLAIN = { LOG_LEVEL: 'info', DEV_LOGGING: false } as const;

function logged(fields: object, settings: Parameters<typeof createLog>[1] = PLAIN): string {
  const lines: string[] = [];
  const log = createLog('test', settings, { write: (line) => void lines.push(line) });
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
