import { type RefObject, useId } from 'react';
import { useTypedText } from '../forms/typed-text';
import type { FieldProps } from '../forms/use-form';
import { Checklist } from './checklist';
import { PasswordField } from './password-field';
import { PasswordHint, useStrength } from './password-hint';

interface NewPasswordProps {
  form: RefObject<HTMLFormElement | null>;
  password: FieldProps;
  confirmation: FieldProps;
  /** The labels of the password field and of the confirmation field. */
  labels: readonly [string, string];
  /** The minimum length of the password in characters. */
  minLength: number;
  /** Whether the length is the only password rule, so that any kind of characters is accepted. */
  lengthOnly?: boolean;
  /** Names and email addresses that the password should not contain. */
  personal?: readonly string[];
}

/** The fields for a new password and its confirmation, with the password rules and an estimate of the strength. */
export function NewPassword(props: NewPasswordProps) {
  const { form, password, confirmation, labels, personal = [] } = props;
  const checklist = useId();
  const typedPassword = useTypedText(form, password.name);
  const repeatedPassword = useTypedText(form, confirmation.name);
  const estimate = useStrength(typedPassword, personal);

  return (
    <>
      <PasswordField
        {...password}
        autoComplete="new-password"
        describedBy={checklist}
        label={labels[0]}
      />
      <PasswordHint estimate={estimate} />
      <PasswordField
        {...confirmation}
        autoComplete="new-password"
        enterKeyHint="go"
        label={labels[1]}
      />
      <Checklist
        confirmation={repeatedPassword}
        doubted={!!password.error || estimate?.strength === 'weak'}
        id={checklist}
        lengthOnly={props.lengthOnly}
        password={typedPassword}
        minLength={props.minLength}
      />
    </>
  );
}
