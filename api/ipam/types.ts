/** Types only: importing this file loads no code, so workflows and domain can import it. */
import type { z } from 'zod';
import type { DeepReadonly } from '../meta/readonly.ts';
import type { ipAddressObject, ipClaim, ipPool } from './schema.ts';

export type IpPool = DeepReadonly<z.infer<typeof ipPool>>;
export type IpClaim = DeepReadonly<z.infer<typeof ipClaim>>;
export type IpAddress = DeepReadonly<z.infer<typeof ipAddressObject>>;
