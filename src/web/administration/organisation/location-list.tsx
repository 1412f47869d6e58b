import { CirclePlus, Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { isWrongAt } from './form-parts.tsx';
import { NEW_LOCATION, type LocationFields } from './organisation-fields.ts';

const FIELDS = ['name', 'address', 'place', 'latitude', 'longitude'] as const;

interface LocationListProps {
  locations: readonly LocationFields[];
  error: Error | null;
  onChange: (locations: readonly LocationFields[]) => void;
}

export function LocationList({ locations, error, onChange }: LocationListProps) {
  const t = useTranslations('administration.organisation');
  return (
    <Section title={t('locations')} lead={t('locationsLead')}>
      {locations.map((location, index) => (
        <fieldset key={index} className="stack">
          <legend>{t('location', { number: index + 1 })}</legend>
          {FIELDS.map((field) => (
            <TextField
              key={field}
              label={t(`locationField.${field}`)}
              value={location[field]}
              error={isLocationWrong(error, index, field) ? t(`fault.${faultOf(field)}`) : undefined}
              onChange={({ currentTarget: { value } }) =>
                onChange(locations.with(index, { ...location, [field]: value }))
              }
            />
          ))}
          <div>
            <Button
              variant="subtle"
              leftSection={<Trash2 size="1.1em" aria-hidden />}
              onClick={() => onChange(locations.toSpliced(index, 1))}
            >
              {t('deleteLocation', { number: index + 1 })}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          variant="default"
          leftSection={<CirclePlus size="1.1em" aria-hidden />}
          onClick={() => onChange([...locations, NEW_LOCATION])}
        >
          {t('addLocation')}
        </Button>
      </div>
    </Section>
  );
}

/** Without one of the coordinates, the service reports the location. */
function isLocationWrong(error: Error | null, index: number, field: (typeof FIELDS)[number]): boolean {
  const path = `/locations/${index}`;
  if (field !== 'latitude' || isWrongAt(error, `${path}/name`)) return isWrongAt(error, `${path}/${field}`);
  return isWrongAt(error, path);
}

function faultOf(field: (typeof FIELDS)[number]) {
  if (field === 'latitude' || field === 'longitude') return 'coordinates';
  return field === 'name' ? 'name' : 'text';
}
