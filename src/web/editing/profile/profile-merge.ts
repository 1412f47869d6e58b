import { changedNames, inputOf, type InputName, type Inputs } from './profile-inputs.ts';

/** A three-way merge of two changes of one profile. */
export interface MergedInputs {
  /** The newer profile with the changes of the form, which win where both changed a field. */
  mine: Inputs;
  /** Fields that only the other change has. */
  taken: readonly InputName[];
  /** Fields that both changed, to different values. */
  overlapping: readonly InputName[];
}

export function mergeInputs(base: Inputs, mine: Inputs, theirs: Inputs): MergedInputs {
  const own = changedNames(base, mine);
  const other = changedNames(base, theirs);
  return {
    mine: { ...theirs, ...pick(mine, own) },
    taken: other.filter((name) => !own.includes(name)),
    overlapping: other.filter((name) => own.includes(name) && inputOf(mine, name) !== inputOf(theirs, name)),
  };
}

/** The inputs of these fields, empty ones included. */
export function pick(inputs: Inputs, names: readonly InputName[]): Inputs {
  return Object.fromEntries(names.map((name) => [name, inputs[name] ?? '']));
}
