import { expect, test } from 'vitest';
import { takesUpSlot } from './in-hand.ts';
import type { NodeStateJson } from './node-json.ts';

const inState = (provision_state: string, boot_interface: string | null): NodeStateJson =>
  ({ provision_state, boot_interface }) as NodeStateJson;

test.each(['cleaning', 'clean wait', 'inspecting', 'inspect wait', 'deploying', 'wait call-back', 'deleting'])(
  'a node in %s takes up a slot, unless it boots from virtual media',
  (state) => {
    expect(takesUpSlot(inState(state, 'ipxe'))).toBe(true);
    expect(takesUpSlot(inState(state, null))).toBe(true);
    expect(takesUpSlot(inState(state, 'redfish-virtual-media'))).toBe(false);
    expect(takesUpSlot(inState(state, 'idrac-redfish-virtual-media'))).toBe(false);
  },
);

test.each(['enroll', 'verifying', 'manageable', 'available', 'active', 'adopting', 'deploy failed', 'service wait'])(
  'a node in %s takes up none',
  (state) => {
    expect(takesUpSlot(inState(state, 'ipxe'))).toBe(false);
  },
);
