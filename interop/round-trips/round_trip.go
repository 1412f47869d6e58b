// One round through the sixteen operations, with the client that openapi-generator makes for Go. Arguments: the base address, a picture.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"

	"petstore"
)

var ctx = context.Background()

func must(response *http.Response, err error) {
	if err != nil {
		if refusal, ok := err.(petstore.GenericOpenAPIError); ok {
			panic(fmt.Sprint(err, " ", string(refusal.Body())))
		}
		panic(err)
	}
}

func refused(status int, response *http.Response, err error) {
	if err == nil || response == nil || response.StatusCode != status {
		panic(fmt.Sprint("wanted ", status, ", got ", response, err))
	}
}

func expect(is bool, what interface{}) {
	if !is {
		panic(fmt.Sprintf("unexpected: %+v", what))
	}
}

func rex(name string, status string) petstore.Pet {
	dogs, calm := petstore.NewCategory(), petstore.NewTag()
	dogs.SetId(1)
	dogs.SetName("Dogs")
	calm.SetId(7)
	calm.SetName("calm")
	pet := petstore.NewPet(name, []string{"https://example.org/rex.jpg"})
	pet.SetId(9223372036854775807)
	pet.SetCategory(*dogs)
	pet.SetTags([]petstore.Tag{*calm})
	pet.SetStatus(status)
	return *pet
}

func user(username string, firstName string, password string) petstore.User {
	user := petstore.NewUser()
	user.SetUsername(username)
	user.SetFirstName(firstName)
	if password != "" {
		user.SetPassword(password)
	}
	return *user
}

func main() {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Args[1]}}
	client := petstore.NewAPIClient(configuration)
	pets, users := client.PetApi, client.UserApi

	first := rex("Rex", "available")
	id := first.GetId()
	_, response, err := pets.AddPet(ctx).Body(first).Execute()
	must(response, err)
	got, response, err := pets.GetPetById(ctx, id).Execute()
	must(response, err)
	expect(reflect.DeepEqual(got, first), got)
	_, response, err = pets.UpdatePet(ctx).Body(rex("Rex", "pending")).Execute()
	must(response, err)
	found, response, err := pets.FindPetsByStatus(ctx).Status([]string{"pending", "sold"}).Execute()
	must(response, err)
	expect(len(found) == 1 && found[0].GetId() == id, found)
	found, response, err = pets.FindPetsByTags(ctx).Tags([]string{"calm", "wild"}).Execute()
	must(response, err)
	expect(len(found) == 1 && found[0].GetId() == id, found)
	_, response, err = pets.UpdatePetWithForm(ctx, id).Name("Rex the second").Status("sold").Execute()
	must(response, err)
	got, response, err = pets.GetPetById(ctx, id).Execute()
	must(response, err)
	expect(reflect.DeepEqual(got, rex("Rex the second", "sold")), got)
	picture, err := os.Open(os.Args[2])
	must(nil, err)
	uploaded, response, err := pets.UploadFile(ctx, id).AdditionalMetadata("in the garden").File(picture).Execute()
	must(response, err)
	expect(uploaded.GetCode() == 200 && strings.HasPrefix(uploaded.GetMessage(), "additionalMetadata: in the garden\nFile uploaded to ./dog-olive.jpg, "), uploaded)
	_, response, err = pets.DeletePet(ctx, id).ApiKey("special-key").Execute()
	must(response, err)
	_, response, err = pets.GetPetById(ctx, id).Execute()
	refused(404, response, err)

	lena := user("lena", "Lena", "slow lemurs love lychees")
	_, response, err = users.CreateUser(ctx).Body(lena).Execute()
	must(response, err)
	_, response, err = users.CreateUsersWithArrayInput(ctx).Body([]petstore.User{user("hugo", "Hugo", "some long password")}).Execute()
	must(response, err)
	_, response, err = users.CreateUsersWithListInput(ctx).Body([]petstore.User{user("mara", "Mara", "another long password")}).Execute()
	must(response, err)
	_, response, err = users.CreateUser(ctx).Body(lena).Execute()
	refused(409, response, err)
	shown, response, err := users.GetUserByName(ctx, "lena").Execute()
	must(response, err)
	expect(shown.GetFirstName() == "Lena" && !shown.HasPassword(), shown)
	login, response, err := users.LoginUser(ctx).Username("lena").Password("slow lemurs love lychees").Execute()
	must(response, err)
	// This generator gives texts as they come, which in JSON is with quote marks.
	expect(strings.HasPrefix(strings.Trim(login, `"`), "logged in user session:"), login)
	configuration.AddDefaultHeader("Authorization", "Bearer "+login)
	_, response, err = users.LoginUser(ctx).Username("lena").Password("wrong").Execute()
	refused(400, response, err)
	_, response, err = users.LogoutUser(ctx).Execute()
	delete(configuration.DefaultHeader, "Authorization")
	must(response, err)
	_, response, err = users.UpdateUser(ctx, "lena").Body(user("lena", "Magdalena", "")).Execute()
	must(response, err)
	shown, response, err = users.GetUserByName(ctx, "lena").Execute()
	must(response, err)
	expect(shown.GetFirstName() == "Magdalena", shown)
	for _, name := range []string{"lena", "hugo", "mara"} {
		_, response, err = users.DeleteUser(ctx, name).Execute()
		must(response, err)
	}
	_, response, err = users.GetUserByName(ctx, "lena").Execute()
	refused(404, response, err)
	fmt.Println("all sixteen")
}
