/** In degrees (WGS 84). */
export interface Point {
  latitude: number;
  longitude: number;
}

/**
 * The number of locations that the address of a search has. Their order says roughly where the visitor is, so it does
 * not grow with the number of locations.
 */
export const MAX_NEAREST = 10;

export function isPlaced<T extends Partial<Point>>(location: T): location is T & Point {
  return location.latitude !== undefined && location.longitude !== undefined;
}

const RADIUS_KM = 6371;

/** Along a great circle of a sphere, which is at most 0.6 % wrong. */
export function kilometresBetween(one: Point, other: Point): number {
  const [from, to] = [radians(one.latitude), radians(other.latitude)];
  const across = Math.sin((to - from) / 2) ** 2;
  const along = Math.cos(from) * Math.cos(to) * Math.sin(radians(other.longitude - one.longitude) / 2) ** 2;
  return 2 * RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, across + along)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
