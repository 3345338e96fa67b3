/** Types alone: importing this file loads nothing, so workflows and domain can. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { ipAddressObject, ipClaim, ipPool } from './schema.ts';

export type IpPool = DeepReadonly<z.infer<typeof ipPool>>;
export type IpClaim = DeepReadonly<z.infer<typeof ipClaim>>;
export type IpAddress = DeepReadonly<z.infer<typeof ipAddressObject>>;
