import { Distribution } from '../../../domain/activity.ts';

/** Deliveries to webhooks by this process. */
export class DeliveryActivity {
  delivered = 0;
  /** Failed attempts that are retried. */
  failed = 0;
  /** Failed attempts that were the last. */
  dead = 0;
  readonly durations = Distribution.ofDurations();
}
