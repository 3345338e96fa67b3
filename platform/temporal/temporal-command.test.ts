import { expect, test } from 'vitest';
import { readConfig, workersConfig } from '../config/config.ts';
import { temporalCommand } from './temporal-command.ts';

const commandWith = (env: Readonly<Record<string, string>>): string =>
  temporalCommand(readConfig(workersConfig, { PROVISIONER: 'fixture', ...env }));

test('commands for Temporal name the address and the namespace of the workers', () => {
  expect(commandWith({})).toBe('TEMPORAL_ADDRESS=127.0.0.1:7233 TEMPORAL_NAMESPACE=default temporal');
  expect(commandWith({ TEMPORAL_ADDRESS: '[::1]:7233', TEMPORAL_NAMESPACE: 'metal.a1' })).toBe(
    "TEMPORAL_ADDRESS='[::1]:7233' TEMPORAL_NAMESPACE=metal.a1 temporal",
  );
});

test('commands for Temporal begin as the setting says, where people reach it in another way', () => {
  expect(commandWith({ TEMPORAL_COMMAND: 'npx temper temporal' })).toBe('npx temper temporal');
});
