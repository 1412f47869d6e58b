"""One round through the sixteen operations, with the client that openapi-generator makes for Python. Arguments: the base address, a picture."""

import re
import sys

import petstore
from petstore.rest import ApiException

base, picture = sys.argv[1:]
configuration = petstore.Configuration(host=base)
client = petstore.ApiClient(configuration)
pets = petstore.PetApi(client)
users = petstore.UserApi(client)


def refused(status, call, *arguments, **named):
    try:
        response = call(*arguments, **named)
    except ApiException as error:
        assert error.status == status, error
    else:
        raise AssertionError(f"was not refused: {response}")


def pet(**changes):
    fields = {
        "id": 9223372036854775807,
        "category": petstore.Category(id=1, name="Dogs"),
        "name": "Rex",
        "photo_urls": ["https://example.org/rex.jpg"],
        "tags": [petstore.Tag(id=7, name="calm")],
        "status": "available",
    }
    return petstore.Pet(**{**fields, **changes})


rex = pet()
pets.add_pet(rex)
assert pets.get_pet_by_id(rex.id) == rex, pets.get_pet_by_id(rex.id)
pets.update_pet(pet(status="pending"))
assert [found.id for found in pets.find_pets_by_status(["pending", "sold"])] == [rex.id]
assert [found.id for found in pets.find_pets_by_tags(["calm", "wild"])] == [rex.id]
pets.update_pet_with_form(rex.id, name="Rex the second", status="sold")
assert pets.get_pet_by_id(rex.id) == pet(name="Rex the second", status="sold")
uploaded = pets.upload_file(rex.id, additional_metadata="in the garden", file=picture)
assert uploaded.code == 200
assert re.match(r"additionalMetadata: in the garden\nFile uploaded to \./dog-olive\.jpg, \d+ bytes$", uploaded.message), uploaded
assert len(pets.get_pet_by_id(rex.id).photo_urls) == 2
pets.delete_pet(rex.id, api_key="special-key")
refused(404, pets.get_pet_by_id, rex.id)

lena = petstore.User(username="lena", first_name="Lena", email="lena@example.org", password="slow lemurs love lychees", user_status=2)
users.create_user(lena)
users.create_users_with_array_input([petstore.User(username="hugo", password="some long password")])
users.create_users_with_list_input([petstore.User(username="mara", password="another long password")])
refused(409, users.create_user, lena)
shown = users.get_user_by_name("lena")
assert (shown.first_name, shown.email, shown.user_status, shown.password) == ("Lena", "lena@example.org", 2, None), shown
assert users.login_user("lena", "slow lemurs love lychees").startswith("logged in user session:")
refused(400, users.login_user, "lena", "wrong")
users.logout_user()
users.update_user("lena", petstore.User(username="lena", first_name="Magdalena"))
assert users.get_user_by_name("lena").first_name == "Magdalena"
for name in ("lena", "hugo", "mara"):
    users.delete_user(name)
refused(404, users.get_user_by_name, "lena")
print("all sixteen")
