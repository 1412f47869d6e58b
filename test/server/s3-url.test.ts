import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readS3Url, type S3Settings } from '../../src/storage/s3/s3-url.ts';

const plain: S3Settings = { bucket: 'pets', prefix: '', endpoint: undefined, region: undefined, pathStyle: false };

const ACCEPTED: readonly [url: string, settings: Partial<S3Settings>][] = [
  ['s3://pets', {}],
  ['s3://pets/', {}],
  ['S3://pets', {}],
  ['s3://my-pets.2', { bucket: 'my-pets.2' }],
  [`s3://${'a'.repeat(63)}`, { bucket: 'a'.repeat(63) }],
  ['s3://pets/shop_1/photos-2.old/', { prefix: 'shop_1/photos-2.old' }],
  ['s3://pets?region=eu-central-1', { region: 'eu-central-1' }],
  ['s3://pets?endpoint=https%3A%2F%2Fs3.example.org%2F', { endpoint: 'https://s3.example.org' }],
  ['s3://pets?endpoint=https://example.org/storage/v1/s3', { endpoint: 'https://example.org/storage/v1/s3' }],
  ['s3://pets?path-style=true', { pathStyle: true }],
  [
    's3://pets?endpoint=https://s3.example.org&path-style=true',
    { endpoint: 'https://s3.example.org', pathStyle: true },
  ],
  ['s3://pets?endpoint=http://127.0.0.1:9000', { endpoint: 'http://127.0.0.1:9000', pathStyle: true }],
  ['s3://pets?endpoint=http://[::1]:9000', { endpoint: 'http://[::1]:9000', pathStyle: true }],
  ['s3://pets?endpoint=http://localhost:9000', { endpoint: 'http://localhost:9000', pathStyle: true }],
  ['s3://pets?endpoint=http://localhost:9000&path-style=false', { endpoint: 'http://localhost:9000' }],
  [
    's3://pets/photos?endpoint=http://127.0.0.1:18085&region=us-east-1&path-style=true',
    { prefix: 'photos', endpoint: 'http://127.0.0.1:18085', region: 'us-east-1', pathStyle: true },
  ],
];

const LOOK = /must look like s3:/;
const BUCKET = /name of the bucket/;
const PREFIX = /prefix/;
const CREDENTIALS = /Credentials do not belong/;
const REGION = /region must be/;
const ENDPOINT = /endpoint must be/;
const PATH_STYLE = /path-style must be/;

const REFUSED: readonly [url: string, ...problems: RegExp[]][] = [
  ['', LOOK],
  ['pets', LOOK],
  ['s3:/pets', LOOK],
  ['s3://pe ts', LOOK],
  ['s3:///photos', BUCKET],
  ['s3://ab', BUCKET],
  [`s3://${'a'.repeat(64)}`, BUCKET],
  ['s3://Pets', BUCKET],
  ['s3://my_pets', BUCKET],
  ['s3://pets-', BUCKET],
  ['s3://my..pets', BUCKET],
  ['s3://192.168.0.1', BUCKET],
  ['s3://p%65ts', BUCKET],
  ['s3://pets/a//b', PREFIX],
  ['s3://pets/../other', PREFIX],
  ['s3://pets/%2e%2E/other', PREFIX],
  ['s3://pets/.hidden', PREFIX],
  ['s3://pets/a b', PREFIX],
  ['s3://pets/höhle', PREFIX],
  [`s3://pets/${'a'.repeat(513)}`, PREFIX],
  ['s3://pets:9000', /neither a port/],
  ['s3://pets#photos', /nor a fragment/],
  ['s3://hidden@pets', CREDENTIALS],
  ['s3://hidden:hidden@pets', CREDENTIALS],
  ['s3://pets?access-key=hidden', CREDENTIALS],
  ['s3://pets?AWS_SECRET_ACCESS_KEY=hidden', CREDENTIALS],
  ['s3://pets?session-token=hidden', CREDENTIALS],
  ['s3://pets?endpoint=http://hidden:hidden@127.0.0.1', CREDENTIALS],
  ['s3://pets?hidden=1', /Allowed parameters: endpoint, region, path-style/],
  ['s3://pets?Region=us-east-1', /unknown parameter/],
  ['s3://pets?region=', REGION],
  ['s3://pets?region=us_east', REGION],
  ['s3://pets?region=us-east-1&region=us-east-2', /region must not be repeated/],
  ['s3://pets?endpoint=127.0.0.1:9000', ENDPOINT],
  ['s3://pets?endpoint=ftp://127.0.0.1', ENDPOINT],
  ['s3://pets?endpoint=http://127.0.0.1/?hidden=1', /endpoint must have neither/],
  ['s3://pets?path-style=1', PATH_STYLE],
  ['s3://X?region=a_b&endpoint=hidden&path-style=maybe', BUCKET, REGION, ENDPOINT, PATH_STYLE],
];

void describe('bucket URL', () => {
  for (const [url, settings] of ACCEPTED) {
    void it(`${url.slice(0, 90)}: is accepted`, () => {
      assert.deepEqual(readS3Url(url), { settings: { ...plain, ...settings } });
    });
  }

  for (const [url, ...expected] of REFUSED) {
    void it(`${url.slice(0, 90) || '(empty)'}: is refused with every problem, without its values`, () => {
      const result = readS3Url(url);
      assert.ok('problems' in result, 'it was accepted');
      assert.equal(result.problems.length, expected.length, result.problems.join('\n'));
      for (const [index, pattern] of expected.entries()) assert.match(result.problems[index] ?? '', pattern);
      for (const problem of result.problems) assert.doesNotMatch(problem, /hidden|a_b|maybe|höhle/);
    });
  }
});
