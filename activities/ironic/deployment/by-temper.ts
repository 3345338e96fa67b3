import { RECORD } from '../../../domain/ironic/deployment/record.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import { isBegunByUs } from '../../../domain/ironic/occupied.ts';
import type { HostRef } from '../../../domain/ironic/orders.ts';
import { readRecord } from '../../deployment-record.ts';
import type { Tools } from '../tools.ts';

/** True when Temper has deployed what the node runs, or began to: its record, its instance, or its mark says so. */
export const isByTemper = (
  { asking, settings }: Pick<Tools, 'asking' | 'settings'>,
  node: NodeJson,
  { uid }: HostRef,
): boolean =>
  node.instance_uuid === uid ||
  readRecord(node.instance_info[RECORD]) !== undefined ||
  isBegunByUs(asking.earlier, node, settings.patience);
