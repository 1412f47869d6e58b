import { endpoint, OF_ADMIN } from '../../../api/endpoint.ts';

export const WEBHOOK_ENDPOINTS = {
  listWebhooks: endpoint('GET', 'admin/webhooks', 'none', OF_ADMIN),
  createWebhook: endpoint('POST', 'admin/webhooks', 'json', OF_ADMIN),
  getWebhook: endpoint('GET', 'admin/webhooks/{webhookId}', 'none', OF_ADMIN),
  updateWebhook: endpoint('PATCH', 'admin/webhooks/{webhookId}', 'json', OF_ADMIN),
  deleteWebhook: endpoint('DELETE', 'admin/webhooks/{webhookId}', 'none', OF_ADMIN),
  rotateWebhookSecret: endpoint('POST', 'admin/webhooks/{webhookId}/secret-rotation', 'none', OF_ADMIN),
  endSecretRotation: endpoint('DELETE', 'admin/webhooks/{webhookId}/secret-rotation', 'none', OF_ADMIN),
  testWebhook: endpoint('POST', 'admin/webhooks/{webhookId}/test', 'none', OF_ADMIN),
  listDeadLetters: endpoint('GET', 'admin/webhooks/{webhookId}/dead-letters', 'none', OF_ADMIN),
  retryDeadLetters: endpoint('POST', 'admin/webhooks/{webhookId}/dead-letters/retry', 'none', OF_ADMIN),
  retryDeadLetter: endpoint('POST', 'admin/webhooks/{webhookId}/dead-letters/{letterId}/retry', 'none', OF_ADMIN),
} as const;
