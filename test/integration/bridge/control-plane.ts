import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CONTROL_PLANE_PORTS,
  type ControlPlane,
  type ControlPlaneSettings,
  startControlPlane,
} from '../../../lab/control-plane/control-plane.ts';
import { openSession, type Session } from '../../../lab/supervisor/session.ts';

export interface Breakable extends ControlPlane {
  readonly dir: string;
  readonly supervisor: Session['supervisor'];
  close(): Promise<void>;
}

/** A separate control plane whose servers may be killed. */
export async function startBreakableControlPlane(settings: ControlPlaneSettings = {}): Promise<Breakable> {
  const dir = mkdtempSync(join(tmpdir(), 'temper-breakable-'));
  const session = await openSession({ dir, ephemeral: true });
  try {
    const anyPort = Object.fromEntries(Object.keys(CONTROL_PLANE_PORTS).map((name) => [name, undefined]));
    const ports = await session.ports(anyPort as Record<keyof typeof CONTROL_PLANE_PORTS, undefined>);
    const controlPlane = await startControlPlane(session, ports, () => undefined, undefined, settings);
    return { ...controlPlane, dir, supervisor: session.supervisor, close: () => session.close() };
  } catch (error) {
    await session.close();
    throw error;
  }
}
