import type { Remark } from '../finding.ts';
import type { MigrationSurvey, WebhookSeen } from '../survey.ts';
import { operatorNamespaces } from './operators.ts';

/** Webhooks that refuse writes when their server is gone. */
export function webhookFindings(survey: MigrationSurvey): readonly Remark[] {
  const ending = operatorNamespaces(survey);
  return survey.webhooks
    .filter(({ isTempers }) => !isTempers)
    .flatMap((webhook) => findingOf(webhook, ending.has(webhook.namespace)));
}

/** `isEnding`: its server goes with an operator of Metal3. */
function findingOf(webhook: WebhookSeen, isEnding: boolean): readonly Remark[] {
  const { kind, name, resources, server, isServed, isRequired } = webhook;
  const on = `${kind} ${name}`;
  const about = resources.join(', ');
  if (kind === 'CustomResourceDefinition')
    return isServed
      ? []
      : [
          {
            rule: 'conversion-without-server',
            hinders: false,
            on,
            what: `nothing converts its objects between versions: ${server} has no server`,
            next: 'Install Temper: its CRDs replace this one, and its bridge converts.',
          },
        ];
  const next = `kubectl delete ${kind.toLowerCase()} ${name}`;
  if (isServed)
    return [
      {
        rule: 'webhook-of-another',
        hinders: isEnding,
        on,
        what: `is asked before each write of ${about}; its server is ${server}${isEnding ? ', which goes with its operator' : ''}`,
        next: isEnding ? next : 'See to it that its server stays.',
      },
    ];
  const what = isRequired ? `refuses every write of ${about}` : `delays every write of ${about}`;
  return [{ rule: 'webhook-without-server', hinders: isRequired, on, what: `${what}: ${server} has no server`, next }];
}
