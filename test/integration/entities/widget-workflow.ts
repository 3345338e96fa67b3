import { proxyActivities } from '@temporalio/workflow';
import { type EntityStart, live } from '../../../workflows/life/live.ts';
import { type WidgetMemory, widget } from './widget.ts';

export interface WidgetActivities {
  paint(colour: string): Promise<string>;
  wash(): Promise<string>;
}

const { paint, wash } = proxyActivities<WidgetActivities>({
  taskQueue: 'temper',
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '5 seconds',
  retry: { initialInterval: '200 milliseconds' },
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

export const widgetWorkflow = (start: EntityStart<WidgetMemory>): Promise<void> =>
  live(
    { kind: 'Widget', entity: widget, perform: (action) => (action.name === 'wash' ? wash() : paint(action.colour)) },
    start,
  );
