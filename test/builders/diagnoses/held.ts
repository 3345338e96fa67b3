import { ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { SeenHost } from '../../../domain/diagnosis/sight.ts';
import { PAUSED_BY_CLUSTER } from '../../../domain/machine/names.ts';
import { type Examples, hostSight } from './sights.ts';

const annotated = (key: string, value = '') => hostSight({ annotations: { [key]: value } });

const free: Partial<SeenHost> = { state: 'available', poweredOn: false };

export const HELD_EXAMPLES = {
  'paused-by-cluster': [annotated(ANNOTATIONS.paused, PAUSED_BY_CLUSTER)],
  paused: [annotated(ANNOTATIONS.paused, 'power work')],
  quarantine: [annotated(STEERING_ANNOTATIONS.quarantine, 'the fan is loud')],
  parked: [annotated(STEERING_ANNOTATIONS.abort, '{"by":"ada","reason":"wrong image"}')],
  detached: [annotated(ANNOTATIONS.detached, '{"deleteAction":"delay"}')],
  'no-slot': [hostSight({ state: 'inspecting', poweredOn: false, operationalStatus: 'delayed' })],
  'no-bmc': [
    hostSight({
      state: 'unmanaged',
      operationalStatus: 'discovered',
      poweredOn: false,
      bmcAddress: '',
      credentialsName: '',
    }),
  ],
  'wants-to-be-off': [hostSight({ ...free, online: false })],
  'kept-off': [hostSight({ poweredOn: false, annotations: { [`${ANNOTATIONS.reboot}/disk-change`]: '' } })],
  'no-image': [hostSight({ ...free, wantsImage: false, imageUrl: '' })],
} satisfies Examples;
