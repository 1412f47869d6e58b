def test_has_the_samples(playground):
    status, pet = playground("GET", "pet/1")
    assert status == 200
    assert pet["name"] == "Biscuit"


def test_deletes_a_pet_only_here(playground):
    assert playground("DELETE", "pet/1")[0] == 200
    assert playground("GET", "pet/1")[0] == 404


def test_adds_one_pet(playground):
    playground("POST", "pet", {"name": "Rex", "status": "available"})
    added = playground.requests("?operation=addPet&status=200")
    assert [request["path"] for request in added] == ["/v2/pet"]
