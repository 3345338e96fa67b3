import { FINALIZERS } from '../baremetalhost/values.ts';
import { METAL3 } from '../groups.ts';
import type { Kind } from '../kind.ts';

export const hardwareData = {
  kind: 'HardwareData',
  apiVersion: METAL3,
  plural: 'hardwaredata',
  finalizers: [FINALIZERS.hardwareData],
  rights: { bridge: { object: ['get', 'list', 'watch'] }, workers: { object: ['create', 'get', 'patch', 'update'] } },
} as const satisfies Kind;
