import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { steeredHost } from '../../domain/host/steering/refusal.ts';
import { titleOf } from '../../domain/steering/messages.ts';
import type { CheckedMessages } from '../life/checked-messages.ts';
import { steering } from '../proxies.ts';
import { listenForSteering } from './steering.ts';

const descriptions = {
  pause: 'Sets the annotation paused: nothing more is done until resume',
  resume: 'Ends a pause, or the park after an abort',
  retry: 'Tries again at once what failed or was aborted',
  abort: 'Ends the running operation, also in Ironic, and parks the host until resume or retry',
  quarantine: 'Nothing is begun, and no machine chooses the host; a running operation continues to its end',
  release: 'Ends a quarantine',
  reinspect: 'Inspects an available host again',
  power: 'Switches the power; to is on, off or reboot',
  approve:
    'Approves the step that the host waits for; code is the code of the step, as the details of the host show it',
  reject: 'Rejects the step that the host waits for, until the host asks for something else or the step is approved',
  forceDelete:
    'Ends a deletion that has begun, even if Ironic or the BMC does not answer; confirm is the name of the host',
};

/** Sets the handlers of messages that people send to a host. */
export const listenForHostSteering = (messages: CheckedMessages<HostMemory>): void =>
  listenForSteering(
    {
      what: 'host',
      descriptions,
      perform({ object, id, memory, message }) {
        const { state, hasError, awaits } = steeredHost(memory);
        const order = {
          object,
          id,
          requestedAt: Date.now(),
          known: { state, hasError, ...(awaits && { awaits }) },
          message,
        };
        return steering(`Write to the BareMetalHost: ${titleOf(message)}`).steerHost(order);
      },
    },
    messages,
  );
