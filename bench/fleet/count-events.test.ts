import { expect, test } from 'vitest';
import { countEvents, type RunHistory } from './count-events.ts';

const host: RunHistory = {
  workflowType: 'hostWorkflow',
  events: [
    { workflowExecutionStartedEventAttributes: {} },
    { workflowExecutionSignaledEventAttributes: { signalName: 'observed' } },
    { workflowTaskScheduledEventAttributes: {} },
    { workflowTaskStartedEventAttributes: {} },
    { workflowTaskCompletedEventAttributes: {} },
    { upsertWorkflowSearchAttributesEventAttributes: {} },
    { activityTaskScheduledEventAttributes: { activityType: { name: 'publish' } } },
    { activityTaskStartedEventAttributes: {} },
    { activityTaskCompletedEventAttributes: {} },
    { startChildWorkflowExecutionInitiatedEventAttributes: { workflowType: { name: 'inspectWorkflow' } } },
    { markerRecordedEventAttributes: { markerName: 'core_local_activity' } },
  ],
};
const child: RunHistory = {
  workflowType: 'inspectWorkflow',
  events: [
    { workflowExecutionStartedEventAttributes: {} },
    { workflowTaskScheduledEventAttributes: {} },
    { workflowTaskStartedEventAttributes: {} },
    { workflowTaskCompletedEventAttributes: {} },
    { workflowExecutionCompletedEventAttributes: {} },
  ],
};

test('events of all runs are counted, and each thing that was asked for once', () => {
  expect(countEvents([host, child])).toEqual({
    runs: 2,
    events: 16,
    kinds: {
      'workflow task': 2,
      'run hostWorkflow': 1,
      'run inspectWorkflow': 1,
      'signal observed': 1,
      'upsert of search attributes': 1,
      'activity publish': 1,
      'child inspectWorkflow': 1,
      'marker core_local_activity': 1,
    },
  });
});

test('what happens most often comes first', () => {
  expect(Object.keys(countEvents([child, child, host]).kinds)[0]).toBe('workflow task');
});
